"""Explanations: reasons of a score, and lists of rules."""
