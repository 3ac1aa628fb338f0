"""Pictures of answers for Getting started and the tutorials, by the code of these pages.

    python benchmarks/answer_pictures.py

It writes uncle.svg, grandmother.svg and reasons.svg to docs/assets.
"""

from __future__ import annotations

from pathlib import Path

import r5
from r5.derivations.completion_picture import draw_completion

ASSETS = Path(__file__).resolve().parents[1] / "docs" / "assets"


def draw_derivation(facts: r5.Examples, family: list[tuple[str, str, str]], source: str, target: str) -> str:
    """Return the derivation of the relation of two people."""
    answer = r5.GrammarReasoner(seed=0).fit(facts).ask(r5.Graph.from_triples(family), source, target)
    if answer.derivation is None:
        raise SystemExit(f"no answer for {source} and {target}")
    return answer.derivation.to_svg()


def main() -> None:
    facts = []
    for n in range(30):
        ann, eve, tom = f"Ann {n}", f"Eve {n}", f"Tom {n}"
        facts += [(ann, "mother", eve), (eve, "brother", tom), (ann, "uncle", tom)]
    family = [("Max", "mother", "Ida"), ("Ida", "brother", "Leo")]
    pictures = {"uncle.svg": draw_derivation(r5.load(facts).train, family, "Max", "Leo")}
    family = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Tom", "mother", "Joan")]
    pictures["grandmother.svg"] = draw_derivation(r5.load("kinship", seed=0).train, family, "Ann", "Joan")
    library = r5.load("library", seed=0, members=60, books=60)
    model = r5.ChainReasoner(seed=0).fit(library.train, library.valid)
    (best,) = model.complete(head="Ida Fisher", relation="reports_to", top=1, explain=True)
    pictures["reasons.svg"] = draw_completion(best) + "\n"
    for name, picture in pictures.items():
        (ASSETS / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
