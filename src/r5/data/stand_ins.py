"""Generated data in place of sets that are not here: as large and as hard as the paper's tables say those are.

A stand-in is never the data set itself; whoever shows its figures says so.
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
"""What the name of a stand-in begins with."""


def stand_in(entry: Entry) -> Dataset:
    """The generated data set whose statistics come near to those of the one in the catalogue.

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
    """The same examples, but for a share of the relation sequences another answer is right every second time.

    Such is the noise of GraphLog's worlds: in World 17 two answers compete for about a tenth of the questions.
    """
    if not share or not len(examples):
        return examples
    answers = examples.answers.copy()
    others = np.unique(answers)
    rows = [tuple(row) for row in examples.descriptors.rows()]
    rivals = {row: int(rng.choice(others)) for row in dict.fromkeys(rows) if rng.random() < share}
    for place, row in enumerate(rows):
        if row in rivals and rng.random() < 0.5:
            answers[place] = rivals[row]
    return replace(examples, answers=as_int_array(answers), _cache={})
