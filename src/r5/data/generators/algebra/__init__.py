"""Algebras of relations, such as of space and time, and questions that only several paths together decide."""
