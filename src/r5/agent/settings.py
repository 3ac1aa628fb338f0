"""All hyperparameters of the paper's agent in one place, with the paper's symbol beside each."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Literal, get_args

from r5.errors import R5Error

__all__ = ["PRESETS", "Family", "Settings"]

Family = Literal["graphlog", "graphlog-few", "graphlog-long", "clutrr"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Defaults are those of Appendix A.2 for the GraphLog worlds; `Settings.of` knows other families.

    >>> Settings.of("clutrr", epochs=3).simple_true
    10.0
    """

    seed: int = 0
    # Training (Section 2.1, Appendix A.2 and A.3)
    epochs: int = 10
    """The most passes over the examples."""
    patience: int = 4
    """Epochs without a better training fit after which training stops; 0: never."""
    restarts: int = 1
    """Times training is run from the start with other random numbers; the best training fit wins."""
    episodes_per_update: int = 16
    """Episodes played in lock-step with one state of the memory, after which memory and network are updated."""
    distinct: bool = False
    """Whether examples with the same paths and answer are learned from once in an epoch."""
    learning_rate: float = 0.01
    batch_size: int = 64
    """States in one step of the optimiser."""
    steps_per_update: int = 3
    replay_size: int = 5000
    """States kept to learn from."""
    l2: float = 1e-4
    """a, the weight of the squared parameters in the loss."""
    kl_target: float = 0.02
    """The change of the policy by one update that the step size is steered towards."""
    # Paths (Section 2.1)
    path_policy: str = "shortest"
    """Which paths connect a query in training: shortest, simple or trail."""
    answer_policy: str = "shortest"
    """Which paths connect a query when it is answered."""
    path_length: int = 12
    """The most relations on a path."""
    path_limit: int = 20
    """L, the most paths of a query."""
    direct: str = "skip"
    """What becomes of a path of one relation: skip it, or `dummy`: the relation r_dm of Appendix A.5 follows it."""
    combine: str = "vote"
    """How several paths answer: `vote`, each by itself, or `together`, merging the same pair in all (Section 2.1)."""
    # Rule memory (Section 2.2)
    invented: int = 50
    """n, the number of invented relations."""
    known_rule: float = 0.6
    """v_0: the body is in the memory, all three relations are known."""
    known_head: float = 0.3
    """v_1: the body is in the memory, the head is known, a relation of the body is invented."""
    invented_head: float = -0.05
    """v_2: the body is in the memory, the head is invented."""
    new_known_body: float = -0.1
    """v_3: the body is new and its relations are known."""
    new_invented_body: float = -0.3
    """v_4: the body is new and a relation of it is invented."""
    end_right: float = 0.1
    """v_T,pos: the episode ended in the answer."""
    end_wrong: float = -1.0
    """v_T,neg: the episode ended in another known relation."""
    simple_true: float = 1.0
    """v_true: extra for a rule that a path of two relations agrees with."""
    simple_wrong: float = 0.5
    """v_wrong: allowance for a rule that a path of two relations disagrees with."""
    decay: float = 0.003
    """epsilon: the share of its score that a rule loses in an episode."""
    threshold: float = -1.2
    """sigma: a rule with a lower score is removed."""
    equate: float = 0.0
    """Beyond the paper: the evidence, in scores, on which an invented relation is taken to be another; 0: never."""
    # Search
    simulations: int = 200
    """Simulations a move."""
    exploration: float = 10.0
    """c of PUCT."""
    temperature: float = 1.0
    """The power of visit counts with which moves are drawn in training; 0: the most visited one."""
    noise: float = 0.1
    """The share of noise in the priors at the root, in training."""
    noise_shape: float = 0.3
    """The Dirichlet parameter of that noise."""
    blind: float = 0.7
    """The share of episodes after the first epoch in which search does not see the answer."""
    lean: float = 0.1
    """How much of Equation 2's penalties search sees, so that of two inventions the simpler is preferred."""
    # Network and features
    network: bool = True
    """Whether the policy-value network guides the search; without it priors are uniform (Table 6)."""
    extra_features: bool = False
    """Whether a pair's most and fewest occurrences among the paths are features too (Appendix G)."""
    embedding: int = 8
    """Numbers that describe a relation type."""
    hidden: int = 32
    """Units of a hidden layer."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_type(field.name, field.type, getattr(self, field.name))
        for name, least in _LEAST.items():
            if not getattr(self, name) >= least:
                raise R5Error(f"the setting {name} must be at least {least}, not {getattr(self, name)}")
        for name, most in _MOST.items():
            if not getattr(self, name) <= most:
                raise R5Error(f"the setting {name} must be at most {most:,}, not {getattr(self, name)}")
        if self.simulations * self.path_limit * self.path_length > _MOST_SEARCHED:
            raise R5Error(f"simulations x path_limit x path_length must be at most {_MOST_SEARCHED:,}")
        order = (self.known_rule, self.known_head, 0.0, self.invented_head, self.new_known_body, self.new_invented_body)
        if any(high <= low for high, low in pairwise(order)):
            raise R5Error("the rule scores must satisfy v0 > v1 > 0 > v2 > v3 > v4 (the paper's Equation 2)")
        if not self.end_wrong < 0 < self.end_right:
            raise R5Error("the episode end scores must satisfy v_T,neg < 0 < v_T,pos (the paper's Equation 3)")
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise R5Error(f"the setting {name} must be {' or '.join(words)}, not {getattr(self, name)!r}")
        if not self.threshold < 0:
            raise R5Error(f"the setting threshold must be negative, not {self.threshold}")

    @classmethod
    def of(cls, family: str = "graphlog", **changes: Any) -> Settings:
        """The settings of a data set family, with changes."""
        if family not in PRESETS:
            raise R5Error(f"no family of settings is called {family!r}; expected {', '.join(get_args(Family))}")
        names = {field.name for field in fields(cls)}
        for name in changes:
            if name not in names:
                raise R5Error(f"the r5 engine has no setting {name!r}; it has {', '.join(sorted(names))}")
        return cls(**{**PRESETS[family], **changes})


def _check_type(name: str, kind: object, value: object) -> None:
    """The value of a setting must be of the type it is declared with, and finite; a whole number is a number too."""
    if kind == "bool":
        good, wanted = isinstance(value, bool), "true or false"
    elif kind == "str":
        good, wanted = isinstance(value, str), "a word"
    else:
        allowed = int if kind == "int" else int | float
        good = isinstance(value, allowed) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST
        wanted = "a whole number" if kind == "int" else "a number"
    if not good:
        raise R5Error(f"the setting {name} must be {wanted}, not {value!r}")


_LARGEST = 2.0**127
"""Whole numbers beyond have no place in arrays of floating point."""

_LEAST: dict[str, float] = {
    "epochs": 1,
    "restarts": 1,
    "patience": 0,
    "episodes_per_update": 1,
    "learning_rate": 0,
    "batch_size": 1,
    "steps_per_update": 0,
    "replay_size": 1,
    "path_length": 1,
    "path_limit": 1,
    "invented": 1,
    "simulations": 1,
    "exploration": 0,
    "temperature": 0,
    "embedding": 1,
    "hidden": 1,
    "decay": 0,
}

_MOST: dict[str, float] = {
    "epochs": 1_000_000,
    "restarts": 1_000_000,
    "episodes_per_update": 100_000,
    "batch_size": 1_000_000,
    "steps_per_update": 100_000,
    "replay_size": 100_000_000,
    "path_length": 10_000,
    "path_limit": 100_000,
    "invented": 10_000,
    "simulations": 100_000,
    "exploration": 1e12,
    "embedding": 1_000,
    "hidden": 10_000,
}
_MOST_SEARCHED = 100_000_000
"""Memory grows with these: a model from elsewhere must not take all there is."""

_WORDS = {
    "path_policy": ("shortest", "simple", "trail"),
    "answer_policy": ("shortest", "simple", "trail"),
    "direct": ("skip", "dummy"),
    "combine": ("vote", "together"),
}

# 200 simulations search GraphLog's paths nearly exhaustively, with or without a network; with 16 it matters.
PRESETS: dict[str, dict[str, Any]] = {
    "graphlog": {"simulations": 16},
    "graphlog-few": {"simulations": 16, "end_right": 0.3},
    "graphlog-long": {"simulations": 16, "end_right": 0.8, "blind": 0.8, "restarts": 3, "equate": 2.0},
    "clutrr": {
        "simple_true": 10.0,
        "simple_wrong": 0.0,
        "invented": 27,
        "answer_policy": "trail",
        "distinct": True,
        "restarts": 3,
    },
}
"""What differs from the defaults: few examples (Re 0, Re 1), no path of two relations (Re 2), CLUTRR."""
