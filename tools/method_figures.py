"""Pictures of the methods for the documentation; those of the engine `r5` are figures of its paper, drawn anew.

python -m tools.method_figures    # writes docs/assets/r5-*.svg, grammar-trees.svg and chains-walk.svg
"""

from __future__ import annotations

from html import escape
from pathlib import Path

__all__ = ["draw_figures", "main"]

_ASSETS = Path(__file__).resolve().parents[1] / "docs" / "assets"
_RHO, _NU, _MINUS = "\u03c1", "\u03bd", "\u2212"
_STYLE = """
svg { --ink: #1f2430; --faint: #6d7484; --rule: #1f5fa8; --new: #9a4a00; --paper: #fff; --box: #f3f5f9 }
@media (prefers-color-scheme: dark) {
svg { --ink: #e8eaf0; --faint: #9aa1b2; --rule: #7db3ec; --new: #f0a06a; --paper: #14161c; --box: #1d212b } }
text { font: 13px system-ui, sans-serif; fill: var(--ink); text-anchor: middle }
.small { font-size: 12px } .left { text-anchor: start } .bold { font-weight: 700 } .faint { fill: var(--faint) }
.paper { fill: var(--paper) } .box { fill: var(--box); stroke: var(--faint) } .dot { fill: var(--ink) }
.line { stroke: var(--faint); stroke-width: 1.5px; fill: none } .tip { fill: var(--faint) }
.line.rule { stroke: var(--rule); stroke-width: 2.5px } .tip.rule, text.rule { fill: var(--rule) }
.line.new { stroke: var(--new); stroke-width: 2.5px; stroke-dasharray: 6 4 } .tip.new, text.new { fill: var(--new) }
.chosen { fill: none; stroke: var(--rule); stroke-width: 2px; stroke-dasharray: 4 3 }
"""


def draw_figures() -> dict[str, str]:
    """Return the SVG text of each picture by its file name."""
    return {
        "r5-overview.svg": _overview(),
        "r5-merging.svg": _merging(),
        "r5-rewriting.svg": _rewriting(),
        "grammar-trees.svg": _trees(),
        "chains-walk.svg": _walk(),
    }


def main() -> None:
    """Write all pictures."""
    for name, text in draw_figures().items():
        (_ASSETS / name).write_text(text, encoding="utf-8")


def _picture(title: str, width: int, height: int, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}"'
    return "\n".join(
        [
            f'{head} viewBox="0 0 {width} {height}"><title>{escape(title)}</title>',
            f'<style>{_STYLE}</style><rect width="100%" height="100%" class="paper"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}>{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, title: str = "") -> str:
    rect = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" class="box"/>'
    return rect + (_text(x + width / 2, y + 21, title, "bold") if title else "")


def _arrow(points: list[tuple[float, float]], style: str = "") -> str:
    """Polyline along axes with a tip at its end, which lies on the last point."""
    (x0, y0), (x, y) = points[-2:]
    across, down = (x > x0) - (x < x0), (y > y0) - (y < y0)
    ends = [*points[:-1], (x - 7 * across, y - 7 * down)]
    path = "M" + " L".join(f"{a:g} {b:g}" for a, b in ends)
    tip = f"M{x:g} {y:g} l{-9 * across - 4.5 * down:g} {-9 * down - 4.5 * across:g}"
    tip += f" l{9 * down:g} {9 * across:g}z"
    return f'<path d="{path}" class="line {style}"/><path d="{tip}" class="tip {style}"/>'


def _overview() -> str:
    """Overview (Figure 2 of the paper): paths, agent and rule memory."""
    parts = [
        _box(10, 10, 200, 128, "graph and query"),
        *(
            f'<circle cx="{x}" cy="{y}" r="4" class="dot"/>'
            for x, y in ((30, 88), (80, 50), (142, 50), (188, 88), (92, 88))
        ),
        '<path d="M33 84 L77 53 M84 50 L138 50 M145 53 L185 85 M34 88 L88 88 M96 88 L184 88" class="line"/>',
        '<path d="M34 91 Q110 136 184 91" class="line new"/>',
        _text(61, 83, "sister", "small"),
        _text(138, 83, "grandmother", "small"),
        _text(40, 66, "mother", "small"),
        _text(111, 44, "brother", "small"),
        _text(178, 66, "mother", "small"),
        _text(30, 110, "Ann", "small"),
        _text(188, 110, "Joan", "small"),
        _text(110, 131, "?", "bold new"),
        _arrow([(210, 74), (276, 74)]),
        _text(243, 62, "path", "small"),
        _text(243, 94, "sampling", "small"),
        _box(276, 10, 190, 128, "paths"),
        _text(371, 58, "mother  brother  mother"),
        _text(371, 80, "sister  grandmother"),
        _text(371, 102, "…"),
        _text(371, 126, "merged until one is left", "small faint"),
        _arrow([(466, 74), (520, 74)]),
        _text(493, 62, "pairs", "small"),
        _box(520, 10, 190, 128, "state s"),
        _text(615, 54, "features of each pair:"),
        _text(615, 76, "(mother, brother)", "small"),
        _text(615, 94, "(brother, mother)", "small"),
        _text(615, 112, "(sister, grandmother)", "small"),
        _arrow([(615, 138), (615, 196)]),
        _text(629, 172, "s", "small left"),
        _box(520, 196, 190, 104, "policy-value network"),
        _text(615, 242, f"f(s) = ({_RHO}, {_NU})"),
        _text(615, 264, f"{_RHO}: which pair to merge", "small"),
        _text(615, 283, f"{_NU}: how the episode ends", "small"),
        _arrow([(520, 236), (466, 236)]),
        _text(493, 226, f"{_RHO}, {_NU}", "small"),
        _arrow([(466, 270), (520, 270)]),
        _text(493, 290, "π", "small"),
        _box(276, 196, 190, 104, "tree search (MCTS)"),
        _text(371, 242, "simulates merges"),
        _text(371, 264, "π: improved policy", "small"),
        _text(371, 283, "picks a pair", "small"),
        _arrow([(276, 248), (210, 248)], "rule"),
        _text(243, 238, "pair", "small rule"),
        _box(10, 196, 200, 148, "rule memory"),
        _text(24, 240, "body", "small left faint"),
        _text(130, 240, "head", "small left faint"),
        _text(182, 240, "score", "small faint"),
        _text(24, 260, "father sister", "small left"),
        _text(130, 260, "aunt", "small left"),
        _text(182, 260, "4", "small"),
        _text(24, 280, "mother brother", "small left rule"),
        _text(130, 280, "uncle", "small left rule"),
        _text(182, 280, "3", "small rule"),
        _text(24, 300, "uncle mother", "small left new"),
        _text(130, 300, "i₁", "small left new"),
        _text(182, 300, "0", "small new"),
        _text(110, 332, "unused: i₂, i₃, …", "small faint"),
        _arrow([(160, 196), (160, 168), (320, 168), (320, 138)], "rule"),
        _text(240, 160, "the pair becomes its head", "small rule"),
        _box(276, 356, 434, 66, "end of an episode: one relation is left"),
        _text(493, 406, f"reward z = 1 if it is the answer, 0 if it is invented, {_MINUS}1 if it is wrong", "small"),
        _arrow([(276, 396), (110, 396), (110, 344)]),
        _text(190, 414, "scores, rewriting", "small"),
        _arrow([(615, 356), (615, 300)]),
        _text(625, 334, "loss of z, π", "small left"),
    ]
    return _picture("The parts of the engine r5", 720, 434, parts)


def _merging() -> str:
    """Merges of one path, a row for each state (Figure 1c and Appendix A.4 of the paper)."""
    places = dict(zip(("Ann", "Eve", "Tom", "Joan", "Max"), (40, 137, 234, 331, 428), strict=True))
    rows: list[tuple[str, list[tuple[str, str, str]], tuple[str, str] | None, str]] = [
        (
            "state 0",
            [
                ("Ann", "mother", "Eve"),
                ("Eve", "brother", "Tom"),
                ("Tom", "mother", "Joan"),
                ("Joan", "husband", "Max"),
            ],
            ("Ann", "Tom"),
            "uncle <= mother, brother",
        ),
        (
            "state 1",
            [("Ann", "uncle", "Tom"), ("Tom", "mother", "Joan"), ("Joan", "husband", "Max")],
            ("Ann", "Joan"),
            "grandmother <= uncle, mother",
        ),
        (
            "state 2",
            [("Ann", "grandmother", "Joan"), ("Joan", "husband", "Max")],
            ("Ann", "Max"),
            "grandfather <= grandmother, husband",
        ),
        ("end", [("Ann", "grandfather", "Max")], None, "z = 1: it is the answer"),
    ]
    parts = []
    for number, (title, edges, chosen, note) in enumerate(rows):
        y = 62 + 88 * number
        parts.append(_text(14, y - 34, title, "bold left"))
        for index, (source, relation, target) in enumerate(edges):
            left, right = places[source], places[target]
            made = "rule" if number and index == 0 else ""
            parts.append(_arrow([(left + 5, y), (right - 5, y)], made))
            parts.append(_text((left + right) / 2, y - 9, relation, made))
        for name in {edge[0]: None for edge in edges} | {edges[-1][2]: None}:
            parts.append(f'<circle cx="{places[name]}" cy="{y}" r="4.5" class="dot"/>')
            parts.append(_text(places[name], y + 20, name, "small"))
        parts.append(_text(470, y + 4, note, "left rule" if chosen else "left bold"))
        if chosen:
            left, right = (places[name] for name in chosen)
            size = f'width="{right - left + 22}" height="34"'
            parts.append(f'<rect x="{left - 11}" y="{y - 25}" {size} rx="8" class="chosen"/>')
    return _picture("A path merged pair by pair", 740, 372, parts)


def _rewriting() -> str:
    """Backtrack rewriting of an invented relation (Algorithm 1 of the paper)."""
    before = [
        ("mother brother", "i₁", "uncle <= mother, brother", "the head is replaced"),
        ("i₁ mother", "grandmother", "grandmother <= uncle, mother", "i₁ in the body is replaced"),
        ("i₁ sister", "i₂", "i₂ <= uncle, sister", "i₂ is still unknown"),
        ("i₁ son", "i₃", "dropped", "uncle, son has a known head"),
        ("uncle son", "cousin", "cousin <= uncle, son", "unchanged"),
    ]
    parts = [
        _box(10, 10, 730, 66),
        _text(26, 37, "The episode", "left bold"),
        _text(140, 37, "mother, brother", "left"),
        _arrow([(256, 33), (306, 33)], "new"),
        _text(316, 37, "i₁", "left new bold"),
        _text(350, 37, "and the answer is known: uncle.", "left"),
        _text(26, 62, "So i₁ and uncle are the same relation, and each rule with i₁ is rewritten:", "left"),
        _text(26, 106, "rule memory before", "left bold"),
        _text(324, 106, "after", "left bold"),
    ]
    for number, (body, head, after, note) in enumerate(before):
        y = 132 + 30 * number
        touched = "i₁" in (body.split()[0], head)
        parts.append(_text(26, y, f"{head} <= {', '.join(body.split())}", "left new" if touched else "left"))
        parts.append(_arrow([(240, y - 4), (312, y - 4)], "rule" if touched else ""))
        parts.append(_text(324, y, after, "left faint" if after == "dropped" else "left rule" if touched else "left"))
        parts.append(_text(548, y, note, "left small faint"))
    parts.append(_text(26, 290, "i₁ returns to the buffer of unused relations.", "left"))
    return _picture("An invented relation becomes a known one", 750, 306, parts)


def _slanted(start: tuple[float, float], end: tuple[float, float], style: str = "") -> str:
    """Line between two dots, with a tip at its end."""
    (x0, y0), (x1, y1) = start, end
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    u, v = (x1 - x0) / length, (y1 - y0) / length
    x, y = x1 - 6 * u, y1 - 6 * v
    tip = f"M{x:.1f} {y:.1f} L{x - 9 * u - 4.5 * v:.1f} {y - 9 * v + 4.5 * u:.1f}"
    tip += f" L{x - 9 * u + 4.5 * v:.1f} {y - 9 * v - 4.5 * u:.1f}z"
    line = f"M{x0 + 6 * u:.1f} {y0 + 6 * v:.1f} L{x - 6 * u:.1f} {y - 6 * v:.1f}"
    return f'<path d="{line}" class="line {style}"/><path d="{tip}" class="tip {style}"/>'


def _trees() -> str:
    """Two derivations of one path, whose probabilities are added."""
    parts = []
    for left, middle, side, first, second in (
        (20, "uncle", 70, "P(uncle, mother | grandmother)", "P(mother, brother | uncle)"),
        (390, "mother", 190, "P(mother, mother | grandmother)", "P(brother, mother | mother)"),
    ):
        leaves = [(left + x, 176) for x in (40, 150, 260)]
        inner, top = (left + (95 if side == 70 else 205), 106), (left + 150, 40)
        pairs = [(top, inner), (top, leaves[2] if side == 70 else leaves[0])]
        pairs += [(inner, leaf) for leaf in (leaves[:2] if side == 70 else leaves[1:])]
        for (x0, y0), (x1, y1) in pairs:
            parts.append(f'<path d="M{x0} {y0 + 8} L{x1} {y1 - 16}" class="line"/>')
        parts.append(_text(*top, "grandmother", "bold new"))
        parts.append(_text(*inner, middle, "rule"))
        parts += [_text(*leaf, name) for leaf, name in zip(leaves, ("mother", "brother", "mother"), strict=True)]
        parts.append(_text(left + 150, 212, f"{first} \u00b7", "small faint"))
        parts.append(_text(left + 150, 232, f"{second} \u00b7 \u2026", "small faint"))
    parts.append(_text(365, 112, "+", "bold"))
    return _picture("Two derivations of one path", 730, 246, parts)


def _walk() -> str:
    """Random walk along the body of a rule, and the score that it gives."""
    at = {
        "Ida": (50, 100),
        "North Library": (230, 50),
        "South Library": (230, 150),
        "Ben": (410, 50),
        "Eva": (410, 150),
    }
    parts = []
    for source, target, label in (
        ("Ida", "North Library", "works_at"),
        ("Ida", "South Library", ""),
        ("North Library", "Ben", "managed_by"),
        ("South Library", "Eva", ""),
    ):
        parts.append(_slanted(at[source], at[target], "rule"))
        (x0, y0), (x1, y1) = at[source], at[target]
        if label:
            parts.append(_text((x0 + x1) / 2 - (24 if y0 != y1 else 0), (y0 + y1) / 2 - 12, label, "small rule"))
    for name, (x, y) in at.items():
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" class="dot"/>')
        parts.append(_text(x, y + 22, name, "small"))
    for y in (50, 150):
        parts.append(_text(450, y - 2, "forward = 1/2", "left"))
        parts.append(_text(450, y + 18, "score = 3 + 2 \u221a(1/2) = 4.41", "left bold"))
    return _picture("A random walk along the body of a rule", 680, 190, parts)


if __name__ == "__main__":
    main()
