"""Search for rule bodies and for rules with constants, within limits of work."""
