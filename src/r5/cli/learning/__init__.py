"""Commands that train and evaluate models."""
