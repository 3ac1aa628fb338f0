"""Learn from a CSV file of your own.

A file has a fact a line. `columns` names the three that matter; the others are left out.
"""

from pathlib import Path

import r5

lines = ["person,role,other,since"]
for n in range(40):
    lines += [f"Ann {n},reports_to,Eve {n},2020", f"Eve {n},works_in,Team {n % 8},2019"]
    if n > 0:  # the team of Ann 0 is not in the file
        lines.append(f"Ann {n},works_in,Team {n % 8},2021")
Path("staff.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

data = r5.load("staff.csv", columns=["person", "role", "other"])
print(data.source)
model = r5.ChainReasoner(seed=0).fit(data.train)
(best,) = model.complete(head="Ann 0", relation="works_in", top=1, explain=True)
print(best.fact)
reason = next(one for one in best.reasons if one.kind == "rule")
print("because", ", ".join(map(str, reason.facts)))
print("by", reason.rule.sentence())
