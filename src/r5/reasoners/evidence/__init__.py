"""Kinds of evidence: one path is the reason for the answer, or every path must allow it."""
