"""Which paths of a question are looked at."""

from __future__ import annotations

from typing import Literal

__all__ = ["Direct", "Policy"]

Policy = Literal["shortest", "simple", "trail"]
Direct = Literal["skip", "keep", "dummy"]
