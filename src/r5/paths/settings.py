"""PathSettings: which paths of a question are looked at, under the same names in every engine."""

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
    """What the engines and the baselines that read paths have in common."""

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Decides all that is random, which paths are drawn among it: same seed, same model."""
    training_paths: Policy = "shortest"
    """Which paths of a question are learned from: the shortest, all simple ones, or trails, which may meet a node
    twice."""
    answer_paths: AnswerPolicy = "auto"
    """Which paths a question is answered over; auto: as the training data suggests, or else those learned from."""
    longest_path: int = setting(10, least=2, most=10_000)
    """The most relations on a simple path or a trail; the shortest paths of a question are looked at in any case."""
    path_limit: int = setting(20, least=1, most=100_000)
    """The most paths of one question (the paper's L); where there are more, they are drawn."""
    direct: Direct = "skip"
    """A path of a single edge: skip it, keep it, or pair it with the dummy relation (for rules with one relation in the
    body)."""

    @property
    def policy(self) -> Policy:
        """Over which paths a question is answered where the training data does not suggest any."""
        return self.training_paths if self.answer_paths == "auto" else self.answer_paths
