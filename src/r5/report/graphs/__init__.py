"""The report on a completed knowledge graph."""
