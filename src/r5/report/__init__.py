"""The report: one HTML file that shows what a model has learned, how good it is and how it reaches its answers."""

from r5.report.page import write_report

__all__ = ["write_report"]
