"""Make `src/r5/_util/kernels/signatures.json`, the argument types of kernels by the commands that use them.

Runs each command on small data with an empty cache: `python -m tools.kernel_table`, three minutes of one idle core.
`python -m tools.kernel_table chains` makes the rows of one engine again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

TASKS = {
    "grammar train": "train kinship --engine grammar --seed 0 --load train=100 --load test=4 --out grammar",
    "grammar predict": "explain grammar kinship --index 1",
    "grammar evaluate": "evaluate grammar kinship",
    "chains train": "train library --engine chains --seed 0 --load members=20 --load books=20 --out chains",
    "chains complete": "complete chains --new 3",
    "chains complete ": "complete chains --relation reports_to --tail {entity} --explain",
    "chains complete  ": "complete chains --head {entity} --explain",
    "chains audit": "audit chains --top 3",
    "chains similar": "similar chains {entity}",
    "chains rank": "rank chains library",
    "chains predict": "explain chains library --index 1",
    "chains evaluate": "evaluate chains library",
    "r5 train": "train kinship --engine r5 --set epochs=1 --seed 0 --load train=40 --load test=4 --out r5",
    "r5 predict": "explain r5 kinship --index 1",
    "r5 evaluate": "evaluate r5 kinship",
    "grammar regions": "train rcc8 --engine grammar --seed 0 --load train=40 --load test=2 --out regions",
    "grammar regions ": "evaluate regions rcc8",
    "grammar graphs": "train world --engine grammar --seed 0 --out world "
    "--load train=20 --load test=5 --load wrong_edges=0.2",
    "grammar graphs ": "evaluate world world",
}
"""Commands by task; the blanks at the end distinguish commands of one task.

A kernel that not all commands of a task compile is for the task `ENGINE other`: only `r5 warm-up` compiles it ahead.
"""


def main(engines: list[str]) -> None:
    """Run the commands, each in a process of its own with an empty cache, and write the table."""
    tasks = {task: words for task, words in TASKS.items() if not engines or task.partition(" ")[0] in engines}
    from r5._util.kernels.signature_table import TABLE

    found: dict[str, dict[str, Any]] = {}
    for row in json.loads(TABLE.read_text(encoding="utf-8")) if engines else []:
        row["tasks"] = [task for task in row["tasks"] if task.partition(" ")[0] not in engines]
        if row["tasks"]:
            found[json.dumps([row["kernel"], row["types"]])] = row
    target = TABLE.resolve()
    with tempfile.TemporaryDirectory() as folder:
        for place, (task, words) in enumerate(tasks.items()):
            around = {**os.environ, "R5_CACHE_DIR": f"{folder}/cache{place}"}
            given = [_entity(folder) if word == "{entity}" else word for word in words.split()]
            run = [sys.executable, "-m", "tools.kernel_table", f"{folder}/{place}.json", *given]
            around["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
            subprocess.run(run, check=True, cwd=folder, env=around, stdout=subprocess.DEVNULL)  # noqa: S603
            for row in json.loads(Path(f"{folder}/{place}.json").read_text(encoding="utf-8")):
                known = found.setdefault(json.dumps([row["kernel"], row["types"]]), {**row, "tasks": []})
                known["seconds"] = min(known["seconds"], row["seconds"])
                known["tasks"].append(task.strip())
            print(task, len(found))
    commands = Counter(task.strip() for task in TASKS)

    def is_new(task: str) -> bool:
        return not engines or task.partition(" ")[0] in engines

    for row in found.values():
        uses = Counter(row["tasks"])
        kept = [
            task for task in uses if uses[task] == commands[task] or task.partition(" ")[0] not in (engines or task)
        ]
        row["tasks"] = kept or [f"{next(iter(uses)).partition(' ')[0]} other"]
    rows = sorted(found.values(), key=json.dumps)
    text = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
    target.write_text(f"[\n{text}\n]\n", encoding="utf-8")


def _entity(folder: str) -> str:
    import r5

    model = Path(folder) / "chains"
    return str(r5.load_model(model).graph_.entities[0]) if model.exists() else ""


def record(out: str, words: list[str]) -> None:
    """Run a command and write the kernels that it compiles."""
    from numba.core import event

    from r5._util.kernels import signature_table
    from r5._util.kernels.type_names import write_type
    from r5.cli.main import main as run

    rows: list[dict[str, Any]] = []

    class Recorder(event.Listener):  # type: ignore[misc]
        depth = 0
        start = 0.0

        def on_start(self, given: Any) -> None:
            if not self.depth:
                self.start = time.process_time()
            self.depth += 1

        def on_end(self, given: Any) -> None:
            self.depth -= 1
            kernel = given.data["dispatcher"].py_func
            if not self.depth and kernel.__module__.startswith("r5."):
                types = [write_type(one) for one in given.data["args"]]
                name = f"{kernel.__module__}:{kernel.__qualname__}"
                seconds = round(time.process_time() - self.start, 2)
                rows.append({"kernel": name, "types": types, "seconds": seconds})

    signature_table.read_table = tuple  # without a table, kernels are compiled when they are called
    event.register("numba:compile", Recorder())
    try:
        run(words)
    except SystemExit as end:
        if end.code not in (None, 0, 1):  # 1 is a negative result
            raise
    Path(out).write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        record(sys.argv[1], sys.argv[2:])
    else:
        main(sys.argv[1:])
