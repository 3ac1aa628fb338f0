"""r5: learn explicit rules from relational graphs and reason with them."""

from r5.dataset import Dataset, Summary
from r5.errors import DataError, MissingExtraError, R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules import Rule, RuleSet

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Dataset",
    "Example",
    "Examples",
    "Graph",
    "MissingExtraError",
    "Query",
    "R5Error",
    "Rule",
    "RuleSet",
    "Summary",
    "Vocabulary",
]
