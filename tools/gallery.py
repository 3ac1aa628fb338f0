"""The gallery: a page of the scripts in `examples/`, each with its output."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["ORDER", "gallery_page"]

ORDER = (
    "own_csv",
    "data_frames",
    "family_rules",
    "missing_facts",
    "wrong_facts",
    "new_graph",
    "space",
    "explanation_pictures",
    "rules_to_sql",
    "scikit_learn",
    "custom_engine",
)
"""Names of the scripts, simple ones first; others follow by name."""


def gallery_page(folder: Path) -> str:
    """Return a page with the title, text, code and stored output of each script."""
    lines = [
        "# Examples",
        "",
        "Short scripts for common tasks, each complete, with its output. "
        "They are in the folder `examples` of the repository: `python examples/NAME.py`.",
        "",
    ]
    place = {name: number for number, name in enumerate(ORDER)}
    for script in sorted(folder.glob("*.py"), key=lambda path: (place.get(path.stem, len(place)), path.stem)):
        code = script.read_text(encoding="utf-8")
        title, _, text = (ast.get_docstring(ast.parse(code)) or script.stem).partition("\n")
        body = code.split('"""', 2)[2].strip()
        output = (folder / "output" / f"{script.stem}.txt").read_text(encoding="utf-8").rstrip()
        lines += [f"## {title.rstrip('.')}", "", text.strip(), "", f"`examples/{script.name}`", ""]
        lines += ["```python", body, "```", "", "```text", output, "```", ""]
    return "\n".join(lines)
