"""Readers and writers of rules, one format per module."""
