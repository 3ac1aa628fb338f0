"""Completion of knowledge graphs: our runs beside the figures of others."""
