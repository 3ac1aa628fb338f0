"""Commands that answer queries with a model."""
