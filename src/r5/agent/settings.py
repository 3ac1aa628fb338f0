"""Hyperparameters of the paper's agent, with the paper's symbols.

The defaults are those of the paper, Sections 2.1 to 2.3 and Appendix A, and choices of our own where the paper is
silent; `docs/explanation/r5.md` lists these. Settings marked "Beyond the paper" are off. Presets are in
`r5.agent.presets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from r5._util.settings import SettingsError, setting
from r5.paths.settings import AnswerPolicy, PathSettings

__all__ = ["R5Settings"]


@dataclass(frozen=True)
class R5Settings(PathSettings):
    """Hyperparameters; the defaults are those of the preset `paper`.

    >>> R5Settings().simulations, R5Settings().hidden_answers
    (200, 0.0)
    """

    # Training (Section 2.1, Appendix A.2 and A.3)
    epochs: int = setting(10, least=1, most=1_000_000)
    """Maximum number of passes over the examples."""
    episodes_per_update: int = setting(16, least=1, most=100_000)
    """Episodes played in lock-step with one state of the memory before memory and network are updated."""
    learning_rate: float = setting(0.01, least=0)
    """Learning rate of Adam."""
    batch_size: int = setting(64, least=1, most=1_000_000)
    """States in a batch; fewer where an epoch has fewer."""
    steps_per_update: int = setting(3, least=0, most=100_000)
    """Optimiser steps after each round of episodes."""
    replay_size: int = setting(5000, least=1, most=100_000_000)
    """States in the replay buffer."""
    l2: float = setting(1e-4, least=0)
    """a, the weight of the squared parameters in the loss."""
    kl_target: float = setting(0.02, above=0)
    """KL divergence of the policy between updates to which the learning rate is adapted."""
    # Paths (Section 2.1); training_paths and path_limit, which is L, are those of all engines
    answer_paths: AnswerPolicy = "shortest"
    """Paths over which a query is answered; auto: the most that answer the training queries no worse."""
    longest_path: int = setting(12, least=2, most=10_000)
    """Maximum number of relations on a simple path or a trail; the shortest paths have no limit."""
    direct: Literal["skip", "dummy"] = "skip"
    """Treatment of a path of one relation: `skip` it, or pair it with the relation r_dm of Appendix A.5 (`dummy`)."""
    combine: Literal["vote", "together"] = "together"
    """Several paths: the same pair is merged in all of them (`together`, Section 2.1), or each path has a `vote`."""
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
    """v_true: extra score of a rule that a path of two relations agrees with, or has just created."""
    simple_wrong: float = setting(0.5, least=0)
    """v_wrong: allowance for a rule that a path of two relations disagrees with."""
    decay: float = setting(0.003, least=0, most=1)
    """epsilon: share of its score that a rule loses in an episode."""
    threshold: float = setting(-1.2, below=0)
    """sigma: rules with a lower score are removed."""
    # Search (Section 2.1)
    simulations: int = setting(200, least=1, most=100_000)
    """Simulations for each move in training."""
    answer_simulations: int = setting(200, least=1, most=100_000)
    """Simulations for each move when a query is answered."""
    exploration: float = setting(10.0, least=0, most=1e12)
    """c of PUCT."""
    temperature: float = setting(1.0, least=0)
    """Temperature of the draw of moves in training; 0: the most visited move."""
    dirichlet_fraction: float = setting(0.1, least=0, most=1)
    """Share of Dirichlet noise in the priors at the root, in training."""
    dirichlet_alpha: float = setting(0.3, above=0)
    """Parameter of the Dirichlet noise."""
    # Network and features
    network: bool = True
    """Policy-value network in the search; without it priors are uniform and values 0 (Table 6)."""
    extra_features: bool = False
    """Maximum and minimum occurrences of a pair among the paths as features (Appendix G)."""
    embedding: int = setting(8, least=1, most=1_000)
    """Size of the embedding of a relation type."""
    hidden: int = setting(32, least=1, most=10_000)
    """Units of a hidden layer."""
    # Beyond the paper: each can be turned on alone; check() has the exceptions
    solved_nodes: bool = False
    """Beyond the paper: parts of a search tree with a certain value are solved; a solved root plays its best moves."""
    free_visits: int = setting(0, least=0, most=1_000_000)
    """Beyond the paper: simulations in a row that end in a solved part and do not count; needs solved_nodes."""
    hidden_answers: float = setting(0.0, least=0, most=1)
    """Beyond the paper: share of episodes after the first epoch in which search does not see the answer."""
    ending_value: Literal["known", "shares"] = "known"
    """Value of an end without sight of the answer: 1 for a `known` relation and 0 for an invented one, or the `shares`
    of the rules used (beyond the paper)."""
    keep_epoch: Literal["last", "fit", "answers"] = "last"
    """Epoch that is kept: the `last` one; beyond the paper that of the best training `fit`, or of the most right
    `answers` to training queries."""
    patience: int = setting(0, least=0, most=1_000_000)
    """Beyond the paper: epochs without a better one, by fit or answers, after which a restart ends; 0: none."""
    restarts: int = setting(1, least=1, most=1_000_000)
    """Beyond the paper: runs of training with other random numbers; the best one, by fit or answers, is kept."""
    pool_rules: bool = False
    """Beyond the paper: the last of several restarts begins with the rules of the others."""
    distinct: bool = False
    """Beyond the paper: examples with the same paths and answer are used once in an epoch."""
    equivalence_threshold: float = setting(0.0, least=0)
    """Beyond the paper: minimum agreement, in scores, on which an invented relation is rewritten as another; 0: off."""
    associativity: bool = False
    """Beyond the paper: rules that follow from the other order of merging add to the agreement and to the memory; needs
    equivalence_threshold."""

    def check(self) -> None:
        """Check bounds on memory, the order of scores that the paper asks for, and settings that need others."""
        simulations = max(self.simulations, self.answer_simulations)
        if simulations * self.path_limit * self.longest_path > _MAX_SEARCHED:
            raise SettingsError(f"simulations x path_limit x longest_path must be at most {_MAX_SEARCHED:,}")
        order = (self.known_rule, self.known_head, 0.0, self.invented_head, self.new_known_body, self.new_invented_body)
        if any(high <= low for high, low in pairwise(order)):
            raise SettingsError("the rule scores must satisfy v0 > v1 > 0 > v2 > v3 > v4 (the paper's Equation 2)")
        if self.free_visits and not self.solved_nodes:
            raise SettingsError("free_visits needs solved_nodes")


_MAX_SEARCHED = 100_000_000
"""Bound on the memory of a search, so that the settings of a foreign model cannot exhaust it."""
