"""Time of first and second commands with two versions of r5: `python benchmarks/first_run.py --old COMMIT`.

Each first command has an empty cache of kernels. The read-only installation is used by another user, for which the
script needs to run as root.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OTHER = [
    *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),  # reads all, such as the Python of root
]
"""Prefix of commands of another user."""
COMMANDS = {
    "`r5 train`, grammar": "train kinship --engine grammar --seed 0 --load train=300 --quiet --force --out grammar",
    "`r5 train`, chains": "train library --engine chains --seed 0 --quiet --force --out chains",
    "`r5 predict`, grammar": "predict grammar family.tsv --source Ann --target Tom",
    "`r5 evaluate`, grammar": "evaluate grammar kinship --quiet",
    "`r5 complete`, chains": "complete chains --head {entity} --top 3",
}


def timed(version: Path, words: list[str], other: bool = False, **more: str) -> tuple[float, float]:
    """Return wall-clock and processor seconds of a command."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NUMBA_CACHE_DIR", "R5_CACHE_DIR", "XDG_CACHE_HOME")
    }
    around = {**kept, "PYTHONPATH": str(version / "src"), **more}
    prefix = OTHER if other else []
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "r5", *words], env=around, capture_output=True, text=True, check=False
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):  # 1 is a negative answer
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def unpack(commit: str, folder: Path) -> Path:
    """Write the sources of a commit to a folder."""
    done = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    with tarfile.open(fileobj=BytesIO(done.stdout)) as packed:
        packed.extractall(folder, filter="data")
    return folder


def measure(name: str, version: Path, folder: Path) -> dict[str, tuple[float, float]]:
    """Return the times of all commands with one version."""
    os.chdir(folder)
    (folder / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n", encoding="utf-8")
    read = "import r5; print(r5.load('library').graph.entities[0])"
    around = {**os.environ, "PYTHONPATH": str(version / "src")}
    shown = subprocess.run([sys.executable, "-c", read], env=around, capture_output=True, text=True, check=True)
    entity = shown.stdout.strip()
    found = {}
    for place, (title, words) in enumerate(COMMANDS.items()):
        cache = str(folder / f"cache{place}")
        given = [entity if word == "{entity}" else word for word in words.split()]
        for turn in ("first", "second"):
            found[f"{title}, {turn}"] = timed(version, given, NUMBA_CACHE_DIR=cache, R5_CACHE_DIR=cache)
            print(name, title, turn, found[f"{title}, {turn}"], file=sys.stderr, flush=True)
    if os.getuid() == 0:
        given = COMMANDS["`r5 predict`, grammar"].split()
        timed(version, given)  # compiled by the owner, beside the package
        for path in (version, folder):
            subprocess.run(["chmod", "-R", "a+rX", str(path)], check=True)  # noqa: S607
        read_only = [timed(version, given, other=True, HOME="/nonexistent") for _ in range(2)]
        found["the same, read-only installation with kernels, another user"] = min(read_only)
    found["`r5 --help`"] = min(timed(version, ["--help"]) for _ in range(5))
    return found


def main() -> None:
    """Measure both versions, one after the other, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", default="262d25d", help="commit of the version to compare with")
    parser.add_argument("--new", default="HEAD", help="commit of the version")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        for name, commit in (("before", options.old), ("after", options.new)):
            folder = Path(base) / f"{name}-work"
            folder.mkdir()
            results[name] = measure(name, unpack(commit, Path(base) / name), folder)
        os.chdir(ROOT)
    print("| | before, s | after, s | before, CPU s | after, CPU s |\n| --- | --- | --- | --- | --- |")
    for title in results["after"]:
        old, new = results["before"][title], results["after"][title]
        print(f"| {title} | {old[0]:.1f} | {new[0]:.1f} | {old[1]:.1f} | {new[1]:.1f} |")


if __name__ == "__main__":
    main()
