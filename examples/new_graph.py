"""Train on one graph, answer on another one.

The rules of one library hold in another library, whose people, books and towns the model has never seen.
"""

import r5

north = r5.load("library", seed=0, members=60, books=60)
drawn = r5.load("library", seed=7, members=60, books=60)


def renamed(examples: r5.Examples) -> list[tuple[str, str, str]]:
    """Return the facts of a split with other names: the generator draws them from one list."""
    return [(f"{one.source} (S)", str(one.answer_name), f"{one.target} (S)") for one in examples]


south = r5.load({name: renamed(getattr(drawn, name)) for name in ("train", "valid", "test")})
shared = set(north.graph.entities) & set(south.graph.entities)
print(len(north.graph.entities), "and", len(south.graph.entities), "entities,", len(shared), "in both")

model = r5.ChainReasoner(seed=0).fit(north.train)
ranking = r5.rank(model, south.test, (south.valid,), graph=south.graph)
print(f"MRR {ranking.mrr:.2f} on the new graph")
(best,) = model.complete(south.graph, head="Peter Miller (S)", relation="reports_to", top=1)
print(best.fact)
