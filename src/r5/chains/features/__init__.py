"""Features: the entities that the bodies of rules reach, and how."""
