"""r5: learn explicit rules from relational graphs and reason with them.

Names are imported when first used, so that `r5 --help` does not wait for numba or PyTorch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from r5.data.registry import Format, formats, load, register
    from r5.dataset import Dataset, Summary
    from r5.derivation import Derivation, Fact, Prediction, Step, Suspicion
    from r5.errors import DataError, MissingExtraError, R5Error
    from r5.evaluation import Evaluation, evaluate
    from r5.examples import Example, Examples, Query
    from r5.graph import Graph
    from r5.paths import PathSet, find_paths
    from r5.reasoners.augmented import AugmentedReasoner
    from r5.reasoners.base import Progress, Reasoner
    from r5.reasoners.grammar import GrammarReasoner
    from r5.reasoners.neural import NeuralReasoner
    from r5.reasoners.r5 import R5Reasoner
    from r5.reasoners.registry import load_model
    from r5.relations import Vocabulary
    from r5.report import write_report
    from r5.rule_files import read_rules, write_rules
    from r5.rules import Comparison, Rule, RuleSet
    from r5.storage import ModelError

__version__ = "0.1.0"

_HOME = {
    "r5.data.registry": ("Format", "formats", "load", "register"),
    "r5.dataset": ("Dataset", "Summary"),
    "r5.derivation": ("Derivation", "Fact", "Prediction", "Step", "Suspicion"),
    "r5.errors": ("DataError", "MissingExtraError", "R5Error"),
    "r5.evaluation": ("Evaluation", "evaluate"),
    "r5.examples": ("Example", "Examples", "Query"),
    "r5.graph": ("Graph",),
    "r5.paths": ("PathSet", "find_paths"),
    "r5.reasoners.augmented": ("AugmentedReasoner",),
    "r5.reasoners.base": ("Progress", "Reasoner"),
    "r5.reasoners.grammar": ("GrammarReasoner",),
    "r5.reasoners.neural": ("NeuralReasoner",),
    "r5.reasoners.r5": ("R5Reasoner",),
    "r5.reasoners.registry": ("load_model",),
    "r5.relations": ("Vocabulary",),
    "r5.report": ("write_report",),
    "r5.rule_files": ("read_rules", "write_rules"),
    "r5.rules": ("Comparison", "Rule", "RuleSet"),
    "r5.storage": ("ModelError",),
}

__all__ = [
    "AugmentedReasoner",
    "Comparison",
    "DataError",
    "Dataset",
    "Derivation",
    "Evaluation",
    "Example",
    "Examples",
    "Fact",
    "Format",
    "GrammarReasoner",
    "Graph",
    "MissingExtraError",
    "ModelError",
    "NeuralReasoner",
    "PathSet",
    "Prediction",
    "Progress",
    "Query",
    "R5Error",
    "R5Reasoner",
    "Reasoner",
    "Rule",
    "RuleSet",
    "Step",
    "Summary",
    "Suspicion",
    "Vocabulary",
    "evaluate",
    "find_paths",
    "formats",
    "load",
    "load_model",
    "read_rules",
    "register",
    "write_report",
    "write_rules",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'r5' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
