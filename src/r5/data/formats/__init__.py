"""Readers and writers of data formats, one format per module."""
