"""Synthetic stand-ins for missing data sets, with similar size and statistics.

A stand-in is not the data set itself; results on it are labelled as such.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np

from r5._util.arrays import as_int_array
from r5.data.catalogue import Entry
from r5.data.registry import GENERATORS
from r5.dataset import SPLITS, Dataset
from r5.examples import Examples

__all__ = ["STAND_IN", "stand_in"]

STAND_IN = "stand_in_"
"""Prefix of the name of a stand-in."""


def stand_in(entry: Entry) -> Dataset:
    """Generate a data set with statistics similar to those of a data set of the catalogue.

    >>> from r5.data.catalogue import known
    >>> data = stand_in(known("re_2"))
    >>> data.name, len(data.train), len(data.test)
    ('stand_in_re_2', 1000, 1000)
    """
    options = dict(entry.stand_in)
    module, function = GENERATORS[options.pop("generator")]
    share = options.pop("competing", 0.0)
    made: Dataset = getattr(import_module(module), function)(**options)
    rng = np.random.default_rng([options["seed"], len(SPLITS)])
    train, valid, test = (_with_competing_answers(made.split(split), share, rng) for split in SPLITS)
    return replace(made, name=STAND_IN + entry.name, train=train, valid=valid, test=test)


def _with_competing_answers(examples: Examples, share: float, rng: np.random.Generator) -> Examples:
    """Add label noise: a share of the relation sequences has a second answer with probability 0.5.

    GraphLog's worlds have such noise: in World 17 about a tenth of the queries have two competing answers.
    """
    if not share or not len(examples):
        return examples
    answers = examples.answers.copy()
    others = np.unique(answers)
    rows = [tuple(row) for row in examples.descriptors.rows()]
    competing = {row: int(rng.choice(others)) for row in dict.fromkeys(rows) if rng.random() < share}
    for index, row in enumerate(rows):
        if row in competing and rng.random() < 0.5:
            answers[index] = competing[row]
    return replace(examples, answers=as_int_array(answers), _cache={})
