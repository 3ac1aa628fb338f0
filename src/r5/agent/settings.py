"""All hyperparameters of the paper's agent in one place, with the paper's symbol beside each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

from r5._util.settings import Settings as Declared
from r5._util.settings import SettingsError, from_names, setting
from r5.paths.settings import Policy

__all__ = ["PRESETS", "Family", "Settings"]

Family = Literal["graphlog", "graphlog-few", "graphlog-long", "clutrr"]


@dataclass(frozen=True)
class Settings(Declared):
    """Defaults are those of Appendix A.2 for the GraphLog worlds; `Settings.of` knows other families.

    >>> Settings.of("clutrr", epochs=3).simple_true
    10.0
    """

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Decides all random numbers: same seed, same model."""
    # Training (Section 2.1, Appendix A.2 and A.3)
    epochs: int = setting(10, least=1, most=1_000_000)
    """The most passes over the examples."""
    patience: int = setting(4, least=0, most=1_000_000)
    """Epochs without a better training fit after which training stops; 0: never."""
    restarts: int = setting(1, least=1, most=1_000_000)
    """Times training is run from the start with other random numbers; the best training fit wins."""
    episodes_per_update: int = setting(16, least=1, most=100_000)
    """Episodes played in lock-step with one state of the memory, after which memory and network are updated."""
    distinct: bool = False
    """Whether examples with the same paths and answer are learned from once in an epoch."""
    learning_rate: float = setting(0.01, least=0)
    """The step size of the optimiser (Adam)."""
    batch_size: int = setting(64, least=1, most=1_000_000)
    """States in one step of the optimiser."""
    steps_per_update: int = setting(3, least=0, most=100_000)
    """Steps of the optimiser after each round of episodes."""
    replay_size: int = setting(5000, least=1, most=100_000_000)
    """States kept to learn from."""
    l2: float = setting(1e-4, least=0)
    """a, the weight of the squared parameters in the loss."""
    kl_target: float = setting(0.02, above=0)
    """The change of the policy by one update that the step size is steered towards."""
    # Paths (Section 2.1)
    path_policy: Policy = "shortest"
    """Which paths connect a query in training: shortest, simple or trail."""
    answer_policy: Policy = "shortest"
    """Which paths connect a query when it is answered."""
    path_length: int = setting(12, least=2, most=10_000)
    """The most relations on a path."""
    path_limit: int = setting(20, least=1, most=100_000)
    """L, the most paths of a query."""
    direct: Literal["skip", "dummy"] = "skip"
    """What becomes of a path of one relation: skip it, or `dummy`: the relation r_dm of Appendix A.5 follows it."""
    combine: Literal["vote", "together"] = "vote"
    """How several paths answer: `vote`, each by itself, or `together`, merging the same pair in all (Section 2.1)."""
    # Rule memory (Section 2.2)
    invented: int = setting(50, least=1, most=10_000)
    """n, the number of invented relations."""
    known_rule: float = setting(0.6, above=0)
    """v_0: the body is in the memory, all three relations are known."""
    known_head: float = setting(0.3, above=0)
    """v_1: the body is in the memory, the head is known, a relation of the body is invented."""
    invented_head: float = setting(-0.05, below=0)
    """v_2: the body is in the memory, the head is invented."""
    new_known_body: float = setting(-0.1, below=0)
    """v_3: the body is new and its relations are known."""
    new_invented_body: float = setting(-0.3, below=0)
    """v_4: the body is new and a relation of it is invented."""
    end_right: float = setting(0.1, above=0)
    """v_T,pos: the episode ended in the answer."""
    end_wrong: float = setting(-1.0, below=0)
    """v_T,neg: the episode ended in another known relation."""
    simple_true: float = setting(1.0, least=0)
    """v_true: extra for a rule that a path of two relations agrees with."""
    simple_wrong: float = setting(0.5, least=0)
    """v_wrong: allowance for a rule that a path of two relations disagrees with."""
    decay: float = setting(0.003, least=0, most=1)
    """epsilon: the share of its score that a rule loses in an episode."""
    threshold: float = setting(-1.2, below=0)
    """sigma: a rule with a lower score is removed."""
    equate: float = setting(0.0, least=0)
    """Beyond the paper: the evidence, in scores, on which an invented relation is taken to be another; 0: never."""
    # Search
    simulations: int = setting(200, least=1, most=100_000)
    """Simulations a move."""
    exploration: float = setting(10.0, least=0, most=1e12)
    """c of PUCT."""
    temperature: float = setting(1.0, least=0)
    """The power of visit counts with which moves are drawn in training; 0: the most visited one."""
    noise: float = setting(0.1, least=0, most=1)
    """The share of noise in the priors at the root, in training."""
    noise_shape: float = setting(0.3, above=0)
    """The Dirichlet parameter of that noise."""
    blind: float = setting(0.7, least=0, most=1)
    """The share of episodes after the first epoch in which search does not see the answer."""
    lean: float = setting(0.1, least=0)
    """How much of Equation 2's penalties search sees, so that of two inventions the simpler is preferred."""
    # Network and features
    network: bool = True
    """Whether the policy-value network guides the search; without it priors are uniform (Table 6)."""
    extra_features: bool = False
    """Whether a pair's most and fewest occurrences among the paths are features too (Appendix G)."""
    embedding: int = setting(8, least=1, most=1_000)
    """Numbers that describe a relation type."""
    hidden: int = setting(32, least=1, most=10_000)
    """Units of a hidden layer."""

    def check(self) -> None:
        """Memory is bounded, and scores keep the order that the paper asks for."""
        if self.simulations * self.path_limit * self.path_length > _MOST_SEARCHED:
            raise SettingsError(f"simulations x path_limit x path_length must be at most {_MOST_SEARCHED:,}")
        order = (self.known_rule, self.known_head, 0.0, self.invented_head, self.new_known_body, self.new_invented_body)
        if any(high <= low for high, low in pairwise(order)):
            raise SettingsError("the rule scores must satisfy v0 > v1 > 0 > v2 > v3 > v4 (the paper's Equation 2)")

    @classmethod
    def of(cls, family: str = "graphlog", **changes: Any) -> Settings:
        """The settings of a data set family, with changes."""
        if family not in PRESETS:
            raise SettingsError(f"no family of settings is called {family!r}; expected {', '.join(get_args(Family))}")
        return from_names(cls, "the engine r5", {**PRESETS[family], **changes})


_MOST_SEARCHED = 100_000_000
"""Memory grows with these: a model from elsewhere must not take all there is."""

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
