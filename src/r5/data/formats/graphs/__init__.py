"""Graphs of other libraries."""
