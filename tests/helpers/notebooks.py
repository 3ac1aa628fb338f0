"""Notebooks as a reader runs them: cell after cell in one scope, the last expression of each shown.

`python -m tests.helpers.notebooks FILE` runs one in an empty folder and writes what its cells show.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["code_of", "run_cells"]


def code_of(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each cell with code shows, as a notebook keeps it; an error ends it."""
    scope: dict[str, Any] = {"__name__": "notebook"}
    return [_shown("".join(cell["source"]), scope, number) for number, cell in enumerate(code_of(notebook), start=1)]


def _shown(source: str, scope: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), scope)  # noqa: S102  our own documentation
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), scope)  # noqa: S307
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        shown.append(
            {"data": _forms(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return shown


def _forms(value: Any) -> dict[str, list[str]]:
    html = getattr(value, "_repr_html_", lambda: None)()
    forms = {"text/plain": repr(value), **({} if html is None else {"text/html": html})}
    return {kind: _lines(text) for kind, text in forms.items()}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(path: Path) -> None:
    """Run a notebook and write it with what its cells show."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    target = path.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, (cell, shown) in enumerate(zip(code_of(notebook), run_cells(notebook), strict=True), start=1):
            cell["execution_count"], cell["outputs"] = number, shown
        os.chdir("/")
    target.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
