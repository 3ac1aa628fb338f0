"""Find wrong facts of a graph.

Three facts of a generated library are replaced by wrong ones. The audit masks each fact and compares it with what the
rest of the graph says.
"""

import random

import r5

facts = r5.load("library", seed=1, members=60, books=60).graph.triples()
draw = random.Random(0)
managers = sorted({tail for _, relation, tail in facts if relation == "reports_to"})
wrong = {}
for fact in draw.sample([one for one in facts if one[1] == "reports_to"], 3):
    other = draw.choice([name for name in managers if name != fact[2]])
    wrong[fact[0], "reports_to", other] = fact[2]
graph = r5.Graph.from_triples(sorted((set(facts) - {(h, r, t) for (h, r, _), t in wrong.items()}) | set(wrong)))

model = r5.ChainReasoner(seed=0).fit(r5.load(graph).train)
for finding in model.audit(3, relation="reports_to"):
    fact = finding.completion.fact
    replaced = wrong.get((fact.source, fact.relation, fact.target))
    better = finding.better.fact.target if finding.better else None
    print(f"{fact}: {'wrong' if replaced else 'right'}; true: {replaced}, proposed: {better}")
