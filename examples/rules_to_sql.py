"""Run learned rules in a database.

Rules of every engine are exported as SQL. Here SQLite derives the facts that follow from them.
"""

import sqlite3

import r5

data = r5.load("kinship", train=300, test=5)
model = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
uncles = model.rules_.filter(head="uncle", body=("mother", "brother"), min_score=0.9)
print(uncles.to_sql().splitlines()[4])

connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE triples (head, relation, tail)")
family = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Eve", "brother", "Leo"), ("Tom", "sister", "Eve")]
connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", family)
for fact in sorted(connection.execute(uncles.to_sql())):
    print(*fact)
same = {(one.head, one.relation, one.tail) for one in uncles.derive(r5.Graph.from_triples(family))}
print("the same without a database:", same == set(connection.execute(uncles.to_sql())))
