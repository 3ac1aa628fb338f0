"""Records of finished runs, and their means over seeds."""
