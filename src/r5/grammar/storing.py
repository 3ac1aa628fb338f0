"""Grammars as plain arrays for model folders, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.grammar.em import Counts
from r5.grammar.learning import Learned
from r5.grammar.model import GrammarModel, Support
from r5.storage import ModelError, StoredModel

__all__ = ["from_arrays", "to_arrays"]


def to_arrays(learned: Learned) -> dict[str, NDArray[Any]]:
    """Everything that was learned, in named arrays."""
    model, counts = learned.model, learned.counts
    support = model.support
    return {
        "rule_heads": support.heads,
        "rule_lefts": support.lefts,
        "rule_rights": support.rights,
        "mistakes": support.mistakes.astype(np.int8),
        "open": np.array([support.open], dtype=np.int8),
        "weight": model.weight,
        "background": model.background,
        "stop": model.stop,
        "confusion": model.confusion,
        "prior": model.prior,
        "commonness": model.commonness,
        "rule_counts": counts.rules,
        "leaf_counts": counts.leaves,
        "label_counts": counts.labels,
        "fit": np.array([counts.log_likelihood, counts.unexplained]),
    }


def from_arrays(stored: StoredModel, relations: int) -> Learned:
    """The grammar over so many relations, or a `ModelError` where the arrays do not fit together."""
    columns = [stored.array(name, (None,), "i") for name in ("rule_heads", "rule_lefts", "rule_rights")]
    if len({column.size for column in columns}) != 1:
        raise ModelError("the model's rules have heads and bodies of different number")
    if any(column.size and (column.min() < 0 or column.max() >= relations) for column in columns):
        raise ModelError(f"the model's rules name relations that are not in 0..{relations - 1}")
    mistakes = stored.array("mistakes", (relations, relations), "i").astype(bool)
    heads, lefts, rights = columns
    is_open = bool(stored.array("open", (1,), "i")[0])
    support = Support.of(relations, heads, lefts, rights, mistakes=mistakes, open=is_open)
    if len(support) != columns[0].size or not np.array_equal(support.heads, columns[0]):
        raise ModelError("the model's rules are not in order, or one is there twice")
    rules = (len(support),)
    square = (relations, relations)
    model = GrammarModel(
        support=support,
        weight=_probabilities(stored, "weight", rules),
        background=_probabilities(stored, "background", (relations,)),
        stop=_probabilities(stored, "stop", (relations,)),
        confusion=_probabilities(stored, "confusion", square),
        prior=_probabilities(stored, "prior", (relations,)),
        commonness=stored.array("commonness", (relations + 1,)),
    )
    fit = stored.array("fit", (2,))
    counts = Counts(
        support,
        stored.array("rule_counts", rules),
        stored.array("leaf_counts", square),
        stored.array("label_counts", (relations,)),
        float(fit[0]),
        float(fit[1]),
    )
    return Learned(model, counts)


def _probabilities(stored: StoredModel, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    values = stored.array(name, shape)
    if values.dtype != np.float64 or (values.size and (values.min() < 0.0 or values.max() > 1.0 + 1e-9)):
        raise ModelError(f"the model's array {name!r} does not hold probabilities")
    return values
