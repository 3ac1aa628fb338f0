"""Generator of family stories, similar to CLUTRR."""
