"""Relation algebras of space and time, and queries that only several paths together decide."""
