"""Reason in space, where several paths decide together.

The engine learns from examples what each pair of relations leaves possible, and intersects all paths of a query.
"""

import r5

data = r5.load("rcc8", seed=0, train=1500, test=30)
model = r5.GrammarReasoner(seed=0).fit(data.train)
print(f"composition table found: {model.rules_.recall(data.rules):.2f}")

home = [("bed", "EC", "lamp"), ("lamp", "TPPI", "vase")]  # the bed touches the lamp, the vase is in it at its border
answer = model.ask(r5.Graph.from_triples(home), "bed", "vase")
print("one path leaves two relations:", sorted([answer.relation, answer.alternatives[0].relation]))
more = [*home, ("bed", "TPPI", "rug"), ("rug", "EC", "vase")]
answer = model.ask(r5.Graph.from_triples(more), "bed", "vase")
print("two paths leave one:", answer.relation, [witness.left for witness in answer.derivation.witnesses])
