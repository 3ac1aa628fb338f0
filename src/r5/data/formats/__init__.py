"""Data as others keep it, one format a module."""
