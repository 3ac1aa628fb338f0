"""Libraries: one knowledge graph of people, books and places, some of whose facts are missing."""
