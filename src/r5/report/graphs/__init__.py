"""Report on a model of one knowledge graph."""
