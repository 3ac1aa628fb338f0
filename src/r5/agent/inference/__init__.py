"""Answers to queries by search over a frozen memory."""
