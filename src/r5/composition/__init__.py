"""Evidence of which every piece must allow the answer: what pairs of relations leave possible, not what they yield."""
