"""Markdown tables of results, and the pages that they are written to."""
