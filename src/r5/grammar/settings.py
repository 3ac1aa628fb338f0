"""Hyperparameters of the grammar engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5._util.settings import SettingsError, setting
from r5.paths.settings import PathSettings

__all__ = ["GrammarSettings"]


@dataclass(frozen=True)
class GrammarSettings(PathSettings):
    """Hyperparameters of the grammar engine; one set of defaults serves every data set."""

    path_limit: int = setting(100, least=1, most=100_000)
    """Maximum number of paths of an example; larger than in other engines, as charts share equal parts of paths."""

    evidence: Literal["auto", "one", "every"] = "auto"
    """Relation of the paths to the answer: one of them is the reason, or every one must allow it; auto selects by
    held-out likelihood."""
    restarts: tuple[float, ...] = setting((0.1, 2.0, 0.5, 5.0), above=0)
    """Initial smoothing of each restart, added to the count of every rule. Restarts run two at a time and stop once
    two reach the same description length. With many relations only the middle one runs."""
    discriminative: bool = True
    """Try discriminative weights, and keep them if they answer held-out training examples better."""
    curriculum_steps: int = setting(2, least=0, most=1_000_000)
    """Number of EM steps as each path length joins."""
    annealing_steps: int = setting(30, least=0, most=1_000_000)
    """Number of EM steps in which the smoothing falls geometrically to `final_smoothing`."""
    step_work_limit: float = setting(1e8, above=0)
    """Maximum number of products of an early EM step; beyond it, all but the last annealing steps use the shortest
    examples only."""
    pruning_threshold: float = setting(1e-2, least=0)
    """Minimum expected count of a rule while annealing; others are dropped."""
    final_smoothing: float = setting(0.03, above=0)
    """Smoothing at the end of annealing."""
    sparse_steps: int = setting(20, least=0, most=1_000_000)
    """Number of EM steps at the end, which remove unused rules."""
    sparsity: float = setting(0.9, least=0)
    """Minimum amount that a sparse step subtracts from the count of each rule: 1 - alpha of a Dirichlet prior."""
    description_weight: float = setting(0.5, least=0)
    """Weight of a rule's description length, the log count of its head: subtracted from its count in sparse steps
    if many edges are wrong, and part of the criterion that selects a restart."""
    competition: float = setting(0.2, least=0)
    """Amount that a sparse step subtracts from the count of a rule for each use of another rule with the same body."""
    count_floor: float = setting(1e-4, above=0)
    """Minimum count of a rule, so that no path is impossible."""

    initial_noise: float = setting(0.1, above=0, below=1)
    """Initial probability that an edge is wrong."""
    correct_pseudocount: float = setting(9.0, above=0)
    """Pseudo-count of each relation observed as itself."""
    confusion_pseudocount: float = setting(2.0, above=0)
    """Pseudo-count of all confusions of each relation together."""

    temperature: float | None = setting(None, least=0.01, most=100)
    """Temperature of the answer probabilities; None to fit it to held-out training examples."""

    wrong_edges: float | None = setting(None, least=0, below=1)
    """Share of wrong edges of the queries, if it is known; None for that of training. It can be set on a trained
    model."""
    unrelated: str = "no relation"
    """Answer of examples whose entities are not related. They teach no rules but a model of unrelated pairs, which
    gives this answer a probability."""
    unrelated_pairs: int = setting(0, least=0, most=10_000_000)
    """Number of pairs of entities without an edge or a query that are sampled as unrelated."""

    dense_rules: int = setting(300_000, least=0)
    """Maximum number of conceivable rules (relations ** 3) for which all are candidates; beyond it, those that the
    paths suggest."""
    threads: int | None = setting(None, least=1, most=10_000)
    """Number of threads; None for one on each core. The result does not depend on it."""

    def check(self) -> None:
        """Raise an error unless there is a training step."""
        if self.annealing_steps + self.sparse_steps == 0:
            raise SettingsError("annealing_steps and sparse_steps must make at least one step together")
