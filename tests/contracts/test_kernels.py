"""Which files may hold kernels: those named so, and they know of arrays alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import r5

SOURCES = Path(r5.__file__).parent
MODULES = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py"))
COMPILED = ("numba", "r5._util.kernels")
COMPILERS = ("_util/kernels.py", "_util/machine_code.py")
"""How kernels are compiled, and where what was compiled is kept."""
TO_KERNELS = ("__future__", "collections.abc", "math", "numpy", "typing", "r5._util.arrays", *COMPILED)
"""What a kernel may import, beside other kernels: nothing of the domain, nothing that reads or writes."""


def holds_kernels(module: str) -> bool:
    return module.endswith("kernels.py") and module not in COMPILERS


def imported(path: Path) -> set[str]:
    """The modules that a file imports, anywhere in it; `importlib` and the like are not looked through."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            # `from package import module` imports the module.
            inside = SOURCES.parent.joinpath(*(node.module or "").split("."))
            names = {f"{node.module}.{name.name}" for name in node.names if (inside / f"{name.name}.py").exists()}
            found |= names or {str(node.module)}
    return found


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("module", [name for name in MODULES if not holds_kernels(name) and name not in COMPILERS])
def test_only_files_of_kernels_are_compiled(module: str) -> None:
    assert [name for name in imported(SOURCES / module) if within(name, COMPILED)] == []


@pytest.mark.parametrize("module", [name for name in MODULES if holds_kernels(name)])
def test_kernels_know_of_arrays_alone(module: str) -> None:
    others = {name for name in imported(SOURCES / module) if not within(name, TO_KERNELS)}
    assert sorted(name for name in others if not (name.startswith("r5.") and name.endswith("kernels"))) == []


def test_there_are_kernels() -> None:
    assert sum(map(holds_kernels, MODULES)) > 8
