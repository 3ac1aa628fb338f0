"""Storage of grammars: named arrays of model folders and checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.grammar.calibration.no_relation import NoRelationModel
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar, Grammar
from r5.grammar.rule_index import RuleIndex
from r5.storage.folder import ModelError, StoredModel

__all__ = [
    "Arrays",
    "counts_from_arrays",
    "counts_to_arrays",
    "from_arrays",
    "index_from_arrays",
    "index_to_arrays",
    "to_arrays",
]

Arrays = dict[str, NDArray[Any]]


_MAX_COUNT = 1e15
_MIN_TEMPERATURE = 0.01
_MAX_LOG = 1e4
_MAX_PARAMETER = 1e6
"""Maximum absolute parameter of the model of unrelated pairs."""


def index_to_arrays(index: RuleIndex, prefix: str = "") -> Arrays:
    """Return a rule index as arrays, named with a prefix."""
    return {
        f"{prefix}rule_heads": index.heads,
        f"{prefix}rule_lefts": index.lefts,
        f"{prefix}rule_rights": index.rights,
        f"{prefix}leaf_true": index.leaf_true,
        f"{prefix}leaf_observed": index.leaf_observed,
        f"{prefix}open": np.array([index.open], dtype=np.int8),
    }


def index_from_arrays(stored: StoredModel, relations: int, prefix: str = "") -> RuleIndex:
    """Return the rule index over a number of relations.

    Raises:
        ModelError: The arrays do not fit together.
    """
    heads, lefts, rights = _columns(
        stored, [f"{prefix}rule_{name}" for name in ("heads", "lefts", "rights")], relations
    )
    true, observed = _columns(stored, [f"{prefix}leaf_true", f"{prefix}leaf_observed"], relations)
    is_open = bool(stored.array(f"{prefix}open", (1,), "i")[0])
    index = RuleIndex.of(relations, heads, lefts, rights, confusions=(true, observed), open=is_open)
    if len(index) != heads.size or not np.array_equal(index.heads, heads):
        raise ModelError("the model's rules are not in order, or one is there twice")
    if not (np.array_equal(index.leaf_true, true) and np.array_equal(index.leaf_observed, observed)):
        raise ModelError("the model's leaves are not in order, or one is missing")
    return index


def counts_to_arrays(counts: ExpectedCounts, prefix: str = "") -> Arrays:
    """Return expected counts as arrays, without their rule index, named with a prefix."""
    return {
        f"{prefix}rule_counts": counts.rules,
        f"{prefix}leaf_counts": counts.leaves,
        f"{prefix}label_counts": counts.labels,
        f"{prefix}fit": np.array([counts.log_likelihood, counts.unexplained]),
    }


def counts_from_arrays(stored: StoredModel, index: RuleIndex, prefix: str = "") -> ExpectedCounts:
    """Return the expected counts of a rule index, or raise a `ModelError` if they do not fit it."""
    rules, leaves, labels = (
        stored.array(f"{prefix}{name}_counts", (size,), least=0.0, most=_MAX_COUNT)
        for name, size in (("rule", len(index)), ("leaf", index.leaf_true.size), ("label", index.relations))
    )
    fit = stored.array(f"{prefix}fit", (2,))
    return ExpectedCounts(rules, leaves, labels, float(fit[0]), float(fit[1]), index)


def to_arrays(learned: FittedGrammar) -> Arrays:
    """Return a fitted grammar as named arrays."""
    model = learned.model
    return {
        **index_to_arrays(model.index),
        "weight": model.weight,
        "background": model.background,
        "stop": model.stop,
        "confusion": model.confusion,
        "stray": model.stray,
        "prior": model.prior,
        "log_frequency": model.log_frequency,
        **counts_to_arrays(learned.counts),
        "longest": np.array([learned.longest], dtype=np.int64),
        "temperature": np.array([learned.temperature]),
        **({} if learned.unrelated is None else {"unrelated": np.array(astuple(learned.unrelated))}),
    }


def from_arrays(stored: StoredModel, relations: int) -> FittedGrammar:
    """Return the grammar over a number of relations.

    Raises:
        ModelError: The arrays do not fit together.
    """
    index = index_from_arrays(stored, relations)
    model = Grammar(
        index=index,
        weight=_probabilities(stored, "weight", (len(index),)),
        background=_probabilities(stored, "background", (relations,)),
        stop=_probabilities(stored, "stop", (relations,)),
        confusion=_probabilities(stored, "confusion", (index.leaf_true.size,)),
        stray=_probabilities(stored, "stray", (relations,)),
        prior=_probabilities(stored, "prior", (relations,)),
        log_frequency=stored.array("log_frequency", (relations + 1,), least=-_MAX_LOG, most=1e-9),
    )
    longest = int(stored.array("longest", (1,), "i")[0]) if "longest" in stored.arrays else 0
    if longest < 0:
        raise ModelError("the model's longest path is shorter than nothing")
    temperature = 1.0
    if "temperature" in stored.arrays:
        temperature = float(stored.array("temperature", (1,), least=_MIN_TEMPERATURE, most=1.0 / _MIN_TEMPERATURE)[0])
    counts = counts_from_arrays(stored, index)
    return FittedGrammar(model, counts, longest=longest, temperature=temperature, unrelated=_unrelated(stored))


def _unrelated(stored: StoredModel) -> NoRelationModel | None:
    """Return the model of unrelated pairs, if there is one."""
    if "unrelated" not in stored.arrays:
        return None
    offset, slope, without_path = stored.array("unrelated", (3,), least=-_MAX_PARAMETER, most=_MAX_PARAMETER).tolist()
    if slope < 0.0 or not 0.0 <= without_path <= 1.0:
        raise ModelError("the model of unrelated pairs does not give probabilities")
    return NoRelationModel(offset, slope, without_path)


def _columns(stored: StoredModel, names: Sequence[str], relations: int) -> list[NDArray[Any]]:
    """Return arrays of relation ids of equal length."""
    columns = [stored.array(name, (None,), "i") for name in names]
    if len({column.size for column in columns}) != 1:
        raise ModelError(f"the model's arrays {', '.join(names)} are of different length")
    if any(column.size and (column.min() < 0 or column.max() >= relations) for column in columns):
        raise ModelError(f"the model's arrays {', '.join(names)} name relations that are not in 0..{relations - 1}")
    return columns


def _probabilities(stored: StoredModel, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    values = stored.array(name, shape)
    if values.dtype != np.float64 or (values.size and (values.min() < 0.0 or values.max() > 1.0 + 1e-9)):
        raise ModelError(f"the model's array {name!r} does not hold probabilities")
    return values
