"""GrammarSettings: the hyperparameters of the grammar engine, a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5._util.settings import SettingsError, setting
from r5.paths.settings import PathSettings

__all__ = ["GrammarSettings"]


@dataclass(frozen=True)
class GrammarSettings(PathSettings):
    """One set of defaults serves every data set; each can be changed by name."""

    path_limit: int = setting(100, least=1, most=100_000)
    """The most paths of one question; more than in other engines, as reading a path costs little here."""

    evidence: Literal["auto", "one", "every"] = "auto"
    """What the paths of a question are to its answer: one of them is the reason, or every one must allow it; auto
    takes what makes training answers held out more likely."""
    restarts: tuple[float, ...] = setting((0.1, 2.0, 0.5, 5.0), above=0)
    """A run of learning for each, two at a time: the smoothing it starts with, added to the count of every rule. Two
    that come to the same are enough. Where one run will do, it is the one in the middle."""
    discriminative: bool = True
    """Try discriminative weights, and keep them if they answer held-out training examples better."""
    curriculum_steps: int = setting(2, least=0, most=1_000_000)
    """Steps of learning as each path length joins; more would settle on rules before longer paths have a say."""
    annealing_steps: int = setting(30, least=0, most=1_000_000)
    """Steps during which the smoothing falls geometrically to `last_smoothing`."""
    early_work: float = setting(1e8, above=0)
    """Where a step with all rules and paths would take more products than this, about, only the last steps learn from
    all paths, and those before from the shortest."""
    negligible: float = setting(1e-2, least=0)
    """While annealing, a rule used less often than this is no longer kept track of."""
    last_smoothing: float = setting(0.03, above=0)
    """The smoothing at the end of annealing."""
    sparse_steps: int = setting(20, least=0, most=1_000_000)
    """Steps at the end that drive out rules without use."""
    sparsity: float = setting(0.9, least=0)
    """What the sparse steps take from the count of each rule (a Dirichlet prior with alpha = 1 - sparsity) at least."""
    description: float = setting(0.5, least=0)
    """What they take where many edges are wrong: the length of a rule's description, so many times the logarithm of how
    often its head occurs. Restarts are compared by that and by how likely the answers are, given the paths."""
    rivalry: float = setting(0.2, least=0)
    """A rule used for less than about this share of its body is taken to be noise in the sparse steps."""
    floor: float = setting(1e-4, above=0)
    """The count that a rule without use is left with, so that no path is impossible."""

    first_noise: float = setting(0.1, above=0, below=1)
    """How likely an edge is to be wrong, to begin with."""
    right_pseudocount: float = setting(9.0, above=0)
    """Imagined correct observations of each relation, which keep the confusion matrix sane."""
    wrong_pseudocount: float = setting(2.0, above=0)
    """Imagined wrong observations of each relation, evenly as each other one; in the sparse steps, as which is learned
    from the confusions of all relations."""
    stop_pseudocount: float = setting(1.0, above=0)
    """Imagined observations of each relation as an edge rather than as two."""

    temperature: float | None = setting(None, least=0.01, most=100)
    """Probabilities of answers are raised to the power of 1 / temperature; None for what suits training questions, each
    answered by what the others teach."""

    wrong_edges: float | None = setting(None, least=0, below=1)
    """How often an edge of a question to be answered is wrong, where that is known; None for as often as in training,
    or as its own paths show. It may be told to a model that has been trained."""
    unrelated: str = "no relation"
    """The answer that says that two entities are not related. Training questions that have it teach no rules, but how
    the paths between such entities differ; it is then an answer with a probability."""
    unrelated_pairs: int = setting(0, least=0, most=10_000_000)
    """So many pairs of entities of the training graphs that nobody asked about, and that no edge joins, are taken to be
    unrelated."""

    dense_rules: int = setting(300_000, least=0)
    """Up to so many conceivable rules (relations ** 3), all are considered; beyond, only those that paths suggest."""
    suggested_heads: int = setting(8, least=1)
    """Beyond `dense_rules`: how many meanings are tried for a pair of relations about which nothing is known."""
    threads: int | None = setting(None, least=1, most=10_000)
    """Restarts that run side by side; None for one on each core. The outcome does not depend on it."""

    def check(self) -> None:
        """Learning needs a step."""
        if self.annealing_steps + self.sparse_steps == 0:
            raise SettingsError("annealing_steps and sparse_steps must make at least one step together")
