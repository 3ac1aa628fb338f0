"""The gallery: a page of the scripts in `examples/`, each with its output."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["gallery_page"]


def gallery_page(folder: Path) -> str:
    """Return a page with the title, text, code and stored output of each script."""
    lines = [
        "# Examples",
        "",
        "Short scripts for common tasks, each complete, with its output. "
        "They are in the folder `examples` of the repository: `python examples/NAME.py`.",
        "",
    ]
    for script in sorted(folder.glob("*.py")):
        code = script.read_text(encoding="utf-8")
        title, _, text = (ast.get_docstring(ast.parse(code)) or script.stem).partition("\n")
        body = code.split('"""', 2)[2].strip()
        output = (folder / "output" / f"{script.stem}.txt").read_text(encoding="utf-8").rstrip()
        lines += [f"## {title.rstrip('.')}", "", text.strip(), "", f"`examples/{script.name}`", ""]
        lines += ["```python", body, "```", "", "```text", output, "```", ""]
    return "\n".join(lines)
