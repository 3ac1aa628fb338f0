"""Completion of knowledge graphs: our runs beside published figures."""
