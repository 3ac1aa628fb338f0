"""PathSettings: settings of the path search, shared by all engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r5._util.settings import Settings, setting

__all__ = ["AnswerPolicy", "Direct", "PathSettings", "Policy"]

Policy = Literal["shortest", "simple", "trail"]
AnswerPolicy = Literal["auto", "shortest", "simple", "trail"]
Direct = Literal["skip", "keep", "dummy"]


@dataclass(frozen=True)
class PathSettings(Settings):
    """Settings common to the engines and baselines that read paths."""

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Random seed, of the path sample among others: the same seed gives the same model."""
    training_paths: Policy = "shortest"
    """Paths of a training query: the shortest, all simple paths, or trails, which may repeat nodes."""
    answer_paths: AnswerPolicy = "auto"
    """Paths of a query at prediction; auto: as the training data suggests, or else those of training."""
    longest_path: int = setting(10, least=2, most=10_000)
    """Maximum length of a simple path or a trail; the shortest paths are always included."""
    path_limit: int = setting(20, least=1, most=100_000)
    """Maximum number of paths per query (the paper's L); more paths are sampled."""
    direct: Direct = "skip"
    """Treatment of a path of a single edge: skip it, keep it, or pair it with the dummy relation (for rules with one
    relation in the body)."""

    @property
    def policy(self) -> Policy:
        """The paths of a query at prediction if the training data suggests none."""
        return self.training_paths if self.answer_paths == "auto" else self.answer_paths
