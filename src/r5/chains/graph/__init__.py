"""Indexes of a graph."""
