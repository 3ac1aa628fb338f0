"""The same rules as a probabilistic grammar."""
