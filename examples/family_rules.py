"""Learn the rules of a family and ask about people.

The engine `grammar` learns from chains of two and three relatives and answers longer ones, with a derivation.
"""

import r5

data = r5.load("kinship", train=600, test=20)
model = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
accuracy = r5.evaluate(model, data.test).accuracy
print(f"{len(model.rules_)} rules, accuracy {accuracy:.2f} on {len(data.test)} longer chains")

family = r5.Graph.from_triples(
    [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Tom", "mother", "Joan"), ("Joan", "husband", "Bob")]
)
for target in ("Tom", "Joan", "Bob"):
    answer = model.ask(family, "Ann", target)
    print(f"{target} is Ann's {answer.relation} ({answer.probability:.2f})")
print(model.ask(family, "Ann", "Bob").derivation)
