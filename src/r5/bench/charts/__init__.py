"""Figures of results as SVG."""
