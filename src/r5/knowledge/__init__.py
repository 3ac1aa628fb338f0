"""What one knowledge graph is like: its relations, and what its splits give away."""
