"""Pictures of rules with constants are drawn from the result, not from the condition."""

from __future__ import annotations

import re
from itertools import pairwise

from r5.derivations.derivation import Derivation, Fact, Step
from r5.relations import DUMMY


def _picture(condition: Fact, result: Fact) -> str:
    dummy = Fact(condition.target, DUMMY, condition.target)
    return Derivation((condition, dummy), (Step(result, condition, dummy),)).to_svg()


def _names(picture: str) -> list[str]:
    return re.findall(r'<g class="entity"><title>(.*?)</title>', picture)


def test_conclusion_has_its_own_ends() -> None:
    # ussr gives aid to poland, so usa embargoes ussr: the arrow leads from usa to ussr.
    result = Fact("usa", "embargo", "ussr")
    picture = _picture(Fact("ussr", "economicaid", "poland"), result)
    assert _names(picture) == ["usa", "ussr", "poland"]
    assert f"<title>How {result} was concluded</title>".replace(">", "&gt;") in picture.replace(">", "&gt;")
    assert "ussr -embargo-&gt; poland" not in picture
    picture = _picture(Fact("usa", "ally^-1", "uk"), result)
    assert _names(picture) == ["uk", "usa", "ussr"]
    assert "<title>uk -ally-&gt; usa</title>" in picture


def test_entities_stand_in_a_row() -> None:
    picture = _picture(Fact("ussr", "economicaid", "poland"), Fact("usa", "embargo", "ussr"))
    at = [float(x) for x in re.findall(r'<circle cx="([0-9.]+)"', picture)]
    assert len({round(right - left, 3) for left, right in pairwise(at)}) == 1
