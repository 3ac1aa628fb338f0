"""Find the missing facts of a graph.

The generated library lacks some facts that follow from others. `new_facts` searches the whole graph for them.
"""

import r5

data = r5.load("library", seed=0, members=60, books=60)
model = r5.ChainReasoner(seed=0).fit(data.train)  # valid and test have the missing facts, which the model does not see
missing = {(one.source, one.answer_name, one.target) for one in [*data.valid, *data.test]}

new = model.new_facts(200, min_probability=0.5)
right = sum((one.head, one.relation, one.tail) in missing for one in new)
print(f"share of the facts found that are missing ones: {right / len(new):.1f}")
print(f"share of the missing ones that are found: {right / len(missing):.1f}")

(manager,) = model.complete(head="Ida Fisher", relation="reports_to", top=1, explain=True)
print(manager.fact, f"{manager.probability:.1f}")
reason = manager.reasons[0]
print(f"because {reason.rule}:")
print(*reason.facts, sep=", ")
