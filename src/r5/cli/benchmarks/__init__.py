"""Commands that run published experiments."""
