"""SVG picture of a conclusion whose facts do not lead from its head to its tail: a rule with constants."""

from __future__ import annotations

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.derivations.derivation import Derivation, Fact
from r5.derivations.relation_colours import colour_number
from r5.relations import DUMMY

__all__ = ["draw_conclusion", "is_conclusion"]

_LETTER, _MARGIN, _LINE = 7.0, 28.0, 40.0
_LONGEST = 22


def is_conclusion(derivation: Derivation) -> bool:
    """Return whether the only step of a derivation has other ends than the facts that it merges.

    >>> from r5.derivations.derivation import Merge
    >>> chain = Derivation.replay([Fact("Ann", "mother", "Eve"), Fact("Eve", "brother", "Tom")], [Merge(0, "uncle")])
    >>> is_conclusion(chain)
    False
    """
    if len(derivation.steps) != 1 or not derivation.steps[0].reasons:
        return False
    result, reasons = derivation.steps[0].result, derivation.steps[0].reasons
    return (result.source, result.target) != (reasons[0].source, reasons[-1].target)


def draw_conclusion(derivation: Derivation, style: str) -> str:
    """Return one `<svg>` element: the facts as arrows, the conclusion dashed, each entity at the end where it belongs.

    Args:
        derivation: A derivation of one step.
        style: Style sheet.
    """
    step = derivation.steps[0]
    facts = [fact.stored() for fact in derivation.path if fact.relation != DUMMY]
    names, links = [step.result.source, step.result.target], [(0, 1, step.result.stored(), True)]
    for fact in facts:
        inner, outer = (fact.source, fact.target) if fact.source in names else (fact.target, fact.source)
        if inner == step.result.source:
            names.insert(0, outer)
            links = [(left + 1, right + 1, one, derived) for left, right, one, derived in links]
            links.append((0, 1, fact, False))
        else:
            names.append(outer)
            links.append((len(names) - 2, len(names) - 1, fact, False))
    gap = (
        max(len(_cut(text)) for text in [*names, *(f"0 {one.relation}" for _, _, one, _ in links)]) * _LETTER + _MARGIN
    )
    at = [gap / 2 + gap * number for number in range(len(names))]
    width, height = gap * len(names), _LINE + 38
    score = "" if step.score is None else f": {format_number(step.score, '.3g')}"
    return element(
        "svg",
        element("title", text=f"How {step.result} was concluded"),
        element("desc", text=str(derivation)),
        element("style", text=style),
        element("rect", width="100%", height="100%", class_="paper"),
        *(
            _link(at[left], at[right], one, one.source != names[left], f"Step 1: {step}{score}" if derived else "")
            for left, right, one, derived in sorted(links, key=lambda link: link[0])
        ),
        *(_place(name, x) for name, x in zip(names, at, strict=True)),
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-derivation",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def _link(left: float, right: float, fact: Fact, backwards: bool, step: str) -> str:
    """Draw a fact; one with a step is its result."""
    start, end = left + 6, right - 6
    tip = f"M{start:.1f} {_LINE}l8 -4v8z" if backwards else f"M{end:.1f} {_LINE}l-8 -4v8z"
    return element(
        "g",
        element("title", text=step or str(fact)),
        element("path", d=f"M{start:.1f} {_LINE}H{end:.1f}", class_="line"),
        element("path", d=tip, class_="head"),
        element(
            "text", x=(left + right) / 2, y=_LINE - 8, text=f"1 {_cut(fact.relation)}" if step else _cut(fact.relation)
        ),
        class_=f"{'step answer' if step else 'edge'} r{colour_number(fact.relation)}",
    )


def _place(name: str, x: float) -> str:
    mark = element("circle", cx=x, cy=_LINE, r=5.0, class_="dot")
    text = element("text", x=x, y=_LINE + 22, text=_cut(name))
    return element("g", element("title", text=name), mark, text, class_="entity")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
