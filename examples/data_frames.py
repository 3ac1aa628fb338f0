"""Train on a frame of pandas, and get answers and rules as frames.

Frames of polars work in the same way.
"""

import pandas

import r5

capitals = {"Paris": "France", "Rome": "Italy", "Madrid": "Spain", "Lisbon": "Portugal", "Vienna": "Austria"}
rows = [(city, "capital_of", country) for city, country in capitals.items()]
for n, (city, country) in enumerate(list(capitals.items()) * 8):
    rows.append((f"Person {n}", "lives_in", city))
    if n % 4:
        rows.append((f"Person {n}", "votes_in", country))
frame = pandas.DataFrame(rows, columns=["head", "relation", "tail"])

model = r5.ChainReasoner(seed=0).fit(frame)
answers = model.complete_frame([("Person 0", "votes_in", None), ("Person 4", "votes_in", None)], top=1)
print(answers[["head", "relation", "tail"]].to_string(index=False))
rules = model.rules_.filter(head="votes_in").to_frame()
print(rules[["head", "body", "support"]].head(1).to_string(index=False))
