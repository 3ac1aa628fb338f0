"""The engine for one knowledge graph: chains of relations as weighted rules that rank every entity as an answer."""
