"""The disk cache never returns machine code of changed sources."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest

from r5._util.kernels import disk_cache
from r5._util.kernels.cache_folders import CacheFolders

_PACKAGE = Path(disk_cache.__file__).resolve().parents[2]
_OUTER = """
from r5._util.kernels.compilation import njit_outer
from r5.deep.inner import plus

@njit_outer
def outer(number):
    return 10 * plus(number)
"""
_INNER = """
from r5._util.kernels.compilation import njit_shared

@njit_shared
def plus(number):
    return number + 1
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy of the package with the compilation modules and two kernels in two files."""
    package = tmp_path / "r5"
    (package / "_util" / "kernels").mkdir(parents=True)
    (package / "deep").mkdir()
    for folder in (package, package / "_util", package / "_util" / "kernels", package / "deep"):
        (folder / "__init__.py").touch()
    for name in ("compilation", "disk_cache", "cache_folders", "compile_events"):
        shutil.copy(_PACKAGE / "_util" / "kernels" / f"{name}.py", package / "_util" / "kernels")
    (package / "outer.py").write_text(_OUTER, encoding="utf-8")
    (package / "deep" / "inner.py").write_text(_INNER, encoding="utf-8")
    return tmp_path


def _run(folder: Path, before: str = "", **more: str) -> str:
    code = f"from r5.outer import outer; {before or 'None'}; print(outer(1), sum(outer.stats.cache_hits.values()))"
    # Python itself would use old bytecode for a source of the same size and age.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= more
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def _files(folder: Path) -> set[str]:
    return {f"{path.parent.name}/{path.name}" for path in folder.rglob("outer.outer-*.kernel")}


def test_a_change_in_a_called_kernel_compiles_its_caller_anew(copied: Path) -> None:
    assert _run(copied) == "20 0"
    assert _run(copied) == "20 1", "machine code of unchanged sources is loaded"
    before = _files(copied)
    inner = copied / "r5" / "deep" / "inner.py"
    stamp = inner.stat()
    inner.write_text(_INNER.replace("+ 1", "+ 4"), encoding="utf-8")
    os.utime(inner, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # same size and age, as after a checkout
    assert _run(copied) == "50 0"
    assert len(_files(copied)) == 1
    assert before.isdisjoint(_files(copied)), "old code is removed"


def test_code_is_not_cached_after_a_source_changes(copied: Path) -> None:
    inner = copied / "r5" / "deep" / "inner.py"
    change = f"import pathlib; pathlib.Path({str(inner)!r}).write_text({_INNER.replace('+ 1', '+ 4')!r})"
    assert _run(copied, change) == "20 0", "imported before the change"
    assert not _files(copied)
    assert _run(copied) == "50 0"


def _plus_two(number: int) -> int:
    return number + 2


def _loads(monkeypatch: pytest.MonkeyPatch, folder: Path) -> int:
    """Call a kernel as a new process would; return the number of loads from disk."""
    monkeypatch.setenv("R5_CACHE_DIR", str(folder))
    kernel = numba.njit(_plus_two)
    kernel._cache = disk_cache.KernelCache(_plus_two, CacheFolders(folder / "package", "digest"))
    assert kernel(1) == 3
    return sum(kernel.stats.cache_hits.values())


def test_a_damaged_file_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _loads(monkeypatch, tmp_path) == 0
    (kept,) = tmp_path.rglob("*.kernel")
    for damaged in (b"", kept.read_bytes()[:-1], b"0" * 400):
        kept.write_bytes(damaged)
        assert _loads(monkeypatch, tmp_path) == 0
        assert _loads(monkeypatch, tmp_path) == 1


def test_another_processor_has_files_of_its_own(copied: Path) -> None:
    assert _run(copied) == "20 0"
    assert _run(copied, NUMBA_CPU_NAME="generic") == "20 0"
    assert len(_files(copied)) == 2


def test_processes_that_compile_at_the_same_time_share_a_folder(copied: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(lambda _: _run(copied), range(3))) <= {"20 0", "20 1"}
    assert _run(copied) == "20 1"
    assert not list(copied.rglob("*.tmp"))


def test_the_source_digest_covers_all_that_kernels_import() -> None:
    """Files with kernels import from the package only files with kernels; all use `r5._util.kernels.compilation`."""
    compilers = ("compilation", "disk_cache")
    own = {f"r5._util.kernels.{name}" for name in compilers}
    aids = {"r5._util.kernels.type_names"}
    helpers = {f"r5._util.kernels.{name}" for name in ("cache_folders", "compile_events")}  # no part of machine code
    sources = {_module(path): path.read_text("utf-8") for path in _PACKAGE.rglob("*.py")}
    with_kernels = {name for name, text in sources.items() if "njit" in text}
    assert len(with_kernels) > 10
    assert own <= with_kernels
    others = [name for name, text in sources.items() if "import numba" in text or "from numba" in text]
    assert set(others) == own | aids, "a file imports numba directly"
    for name in with_kernels:
        for node in ast.walk(ast.parse(sources[name])):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("r5"):
                assert node.module in with_kernels | helpers, (
                    f"{name} imports {node.module}, which the digest does not cover"
                )


def _module(path: Path) -> str:
    return ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
