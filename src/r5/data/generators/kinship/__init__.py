"""Kinship: stories about generated families, as CLUTRR tells them."""
