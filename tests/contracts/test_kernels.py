"""Kernels are in files named `*kernels.py`, which import nothing of the domain."""

from __future__ import annotations

import ast
from pathlib import Path

import r5

SOURCES = Path(r5.__file__).parent
MODULES = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py"))
COMPILED = ("numba", "r5._util.kernels.compilation")
COMPILERS = tuple(
    f"_util/kernels/{name}.py"
    for name in ("compilation", "compile_events", "disk_cache", "cache_folders", "signature_table", "type_names")
)
"""Modules that compile kernels and cache machine code."""
TO_KERNELS = ("__future__", "collections.abc", "math", "numpy", "typing", "r5._util.arrays", *COMPILED)
"""Allowed imports of kernels, besides other kernels."""


def holds_kernels(module: str) -> bool:
    return module.endswith("kernels.py") and module not in COMPILERS


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere; `importlib` is not followed."""
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


def test_only_kernel_files_import_the_compiler() -> None:
    others = [name for name in MODULES if not holds_kernels(name) and name not in COMPILERS]
    found = [(module, name) for module in others for name in imported(SOURCES / module) if within(name, COMPILED)]
    assert found == []


def test_kernels_import_arrays_and_kernels_only() -> None:
    found = []
    for module in filter(holds_kernels, MODULES):
        others = [name for name in imported(SOURCES / module) if not within(name, TO_KERNELS)]
        found += [(module, name) for name in others if not (name.startswith("r5.") and name.endswith("kernels"))]
    assert found == []


def test_there_are_kernels() -> None:
    assert sum(map(holds_kernels, MODULES)) > 8
