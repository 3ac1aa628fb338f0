"""Commands that show models and data."""
