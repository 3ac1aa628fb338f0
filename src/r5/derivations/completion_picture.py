"""Completions as SVG: one row per reason, with its facts between the two entities and its weight as a bar."""

from __future__ import annotations

from r5._util.svg import element
from r5.derivations.completion import Completion, Reason
from r5.derivations.completion_text import plain_fact, shown_reasons

__all__ = ["STYLE", "draw_completion"]

_LONGEST = 24
"""Letters of a name that are shown; the whole name is in the title."""
_LETTER, _ROW, _TOP, _MARGIN = 7.0, 58.0, 46.0, 16.0
_BARS = 150.0
"""Width of the part with the weights."""

STYLE = """
.r5-completion { --ink: #1f2430; --faint: #8a90a0; --for: #2f7d4f; --against: #a8123e; --paper: #fff }
@media (prefers-color-scheme: dark) { .r5-completion {
  --ink: #e8eaf0; --faint: #8f96a8; --for: #7fd6a2; --against: #ff8ba8; --paper: #14161c } }
.r5-completion text { font: 12px system-ui, sans-serif; fill: var(--ink) }
.r5-completion .title { font-weight: 600 }
.r5-completion .middle { text-anchor: middle }
.r5-completion .end { text-anchor: end }
.r5-completion .paper { fill: var(--paper) }
.r5-completion .dot { fill: var(--ink) }
.r5-completion .line { stroke: var(--faint); stroke-width: 1.5px }
.r5-completion .arrow { fill: var(--faint) }
.r5-completion .axis { stroke: var(--faint); stroke-width: 1px; stroke-dasharray: 2 3 }
.r5-completion .for { fill: var(--for) }
.r5-completion .against { fill: var(--against) }
"""


def draw_completion(completion: Completion, styled: bool = True) -> str:
    """Return one `<svg>` element, readable in light and dark, each part with a title for screen readers.

    A page that has `STYLE` in its own style sheet wants it without.
    """
    reasons, others, rest = shown_reasons(completion)
    steps = max((len(reason.facts) for reason in reasons), default=1) or 1
    gap = _gap(reasons)
    texts = [str(reason) for reason in reasons if not reason.facts] + [f"{others} further reasons"]
    plain = max(map(len, texts)) * _LETTER
    width = _BARS + 2 * _MARGIN + max(gap * steps + gap, plain, len(str(completion.fact)) * _LETTER + 170)
    rows = len(reasons) + (1 if others else 0)
    height = _TOP + _ROW * rows + _MARGIN
    scale = (_BARS / 2 - 34) / max([abs(reason.weight) for reason in reasons] + [abs(rest), 1e-9])
    parts = [_row(place, reason, scale, gap) for place, reason in enumerate(reasons)]
    if others:
        line = _TOP + _ROW * len(reasons) + _ROW / 2
        parts.append(
            element("g", _bar(line, rest, scale), _text(_BARS + _MARGIN, line + 4, f"{others} further reasons"))
        )
    title = f"{completion.fact}"
    return element(
        "svg",
        element("title", text=f"Why {title}"),
        element("desc", text="; ".join(f"{reason.weight:+.3f} {reason}" for reason in reasons)),
        *([element("style", text=STYLE)] if styled else []),
        element("rect", width="100%", height="100%", class_="paper"),
        element("text", x=_MARGIN, y=24, class_="title", text=title),
        _text(width - _MARGIN, 24, f"P(fact) {completion.probability:.3f}, score {completion.score:.3f}", "end"),
        element("path", d=f"M{_MARGIN + _BARS / 2:.1f} {_TOP - 8:.1f}V{height - 8:.1f}", class_="axis"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-completion",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def _gap(reasons: tuple[Reason, ...]) -> float:
    """Return the width of the longest entity and relation side by side."""
    names = [name for reason in reasons for fact in reason.facts for name in (fact.source, fact.relation, fact.target)]
    return max((len(_cut(name)) for name in names), default=6) * _LETTER + 26


def _row(place: int, reason: Reason, scale: float, gap: float) -> str:
    """Return one reason: the bar of its weight, and its facts from left to right."""
    line = _TOP + _ROW * place + _ROW / 2
    left = _BARS + _MARGIN + gap / 2
    parts = [element("title", text=f"{reason.weight:+.3f}  {reason}"), _bar(line, reason.weight, scale)]
    if not reason.facts:
        return element("g", *parts, _text(_BARS + _MARGIN, line + 4, str(reason)))
    for number, (fact, name, turned) in enumerate(_walk(reason)):
        start, end = left + number * gap, left + (number + 1) * gap
        tip = f"M{start + 5:.1f} {line:.1f}l8 -4v8z" if turned else f"M{end - 5:.1f} {line:.1f}l-8 -4v8z"
        parts += [
            element("path", d=f"M{start + 5:.1f} {line:.1f}H{end - 5:.1f}", class_="line"),
            element("path", d=tip, class_="arrow"),
            _text((start + end) / 2, line - 7, _cut(fact), "middle"),
            _entity(end, line, name),
        ]
    return element("g", *parts, _entity(left, line, reason.facts[0].source))


def _walk(reason: Reason) -> list[tuple[str, str, bool]]:
    """Return relation, entity reached and whether the fact is walked backwards, for each fact in order."""
    here, steps = reason.facts[0].source, []
    for fact in map(plain_fact, reason.facts):
        turned = fact.source != here
        here = fact.source if turned else fact.target
        steps.append((fact.relation, here, turned))
    return steps


def _entity(x: float, y: float, name: str) -> str:
    dot = element("circle", cx=x, cy=y, r=4, class_="dot")
    return element("g", element("title", text=name), dot, _text(x, y + 19, _cut(name), "middle"))


def _bar(line: float, weight: float, scale: float) -> str:
    """Return the weight as a bar from the middle, to the right if positive."""
    middle, length = _MARGIN + _BARS / 2, abs(weight) * scale
    kind = "against" if weight < 0 else "for"
    x = middle - length if weight < 0 else middle
    text = _text(x - 4 if weight < 0 else x + length + 4, line + 4, f"{weight:+.2f}", "end" if weight < 0 else None)
    return element("g", element("rect", x=x, y=line - 8, width=length, height=16, class_=kind), text)


def _text(x: float, y: float, text: str, kind: str | None = None) -> str:
    return element("text", x=x, y=y, class_=kind, text=text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
