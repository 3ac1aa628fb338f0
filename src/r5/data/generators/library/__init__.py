"""Generator of an incomplete knowledge graph of people, books and places."""
