"""Draw the reasons of answers.

A derivation becomes an SVG picture, light or dark as the screen of the reader is.
"""

from pathlib import Path

import r5

kinship = r5.load("kinship", train=600, test=5)
paths = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(kinship.train)
family = r5.Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Tom", "mother", "Joan")])
answer = paths.ask(family, "Ann", "Joan")
print(answer.explain(tree=True))
if answer.derivation is not None:
    Path("derivation.svg").write_text(answer.derivation.to_svg(), encoding="utf-8")

rules = r5.RuleSet.of([r5.Rule("aunt", ("mother", "sister")), r5.Rule("aunt", ("father", "sister"))])
by_hand = r5.GrammarReasoner.from_rules(rules)  # a model of known rules, without training
second = by_hand.ask(r5.Graph.from_triples([("Ida", "father", "Leo"), ("Leo", "sister", "Amy")]), "Ida", "Amy")
print(second)
print(Path("derivation.svg").read_text(encoding="utf-8")[:4], "written")
