"""Model folders with something wrong with them, each given by its number: damaged by chance, or made to do harm.

Run as a program it loads many of them, asks each that loads a few questions, and tells what became of them:
`python -m tests.helpers.model_mutations FOLDER FIRST COUNT`, where FOLDER holds models. Memory is limited meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from r5.data.generators.world.dataset import generate_world
from r5.errors import R5Error
from r5.examples import Examples
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.r5 import R5Reasoner
from r5.reasoners.registry import load_model

__all__ = ["mutate", "write_models"]

Files = dict[str, bytes]
NAMES = ("model.json", "rules.json", "weights.safetensors")
MEMORY = 1 << 30
"""Bytes that a mutated model may take beyond what the program itself does."""
SECONDS = 60

NUMBERS: tuple[Any, ...] = (0, -1, 1, 2, 2**31, 2**63, 10**30, 10**39, 1e308, -1e308, 5e-324, 0.5, -0.0, 1e15)
OTHERS: tuple[Any, ...] = (None, True, False, "", "x", "\ud800", "\x00", "x" * 5000, [], {}, [[]], [1, "a"], {"a": 1})
TEXTS = ("NaN", "Infinity", "1e999", "9" * 5000, "[" * 5000, '{"a":' * 500, "tru", "")
ARRAYS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda a: a.astype(np.float64),
    lambda a: a.astype(np.float32),
    lambda a: a.astype(np.float16),
    lambda a: a.astype(np.int64),
    lambda a: a.astype(np.int8),
    lambda a: a.astype(np.uint8),
    lambda a: a.astype(np.bool_),
    lambda a: a[:-1],
    lambda a: a[:0],
    lambda a: a.reshape(-1),
    lambda a: a[None],
    lambda a: np.concatenate([a, a]),
    lambda a: a[::-1],
    lambda a: a.T,
    np.zeros_like,
    lambda a: np.full_like(a, 127),
    lambda a: np.full_like(a, -1),
    lambda a: -a,
    lambda a: np.zeros((0, *a.shape[1:]), a.dtype),
    lambda a: np.zeros(1000, a.dtype),
)
FLOATS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 3e38, 5e-324, -1.0, 2.0, 1e16)


def write_models(folder: Path) -> None:
    """A small model of each engine."""
    data = generate_world(seed=1, train=80, test=6)
    grammar = GrammarReasoner(seed=0, restarts=(0.5,), annealing_steps=4, sparse_steps=2)
    grammar.fit(data.train).save(folder / "grammar")
    R5Reasoner(seed=0, epochs=1, simulations=8, invented=3, hidden=4, embedding=2).fit(data.train).save(folder / "r5")


def mutate(files: Files, number: int) -> tuple[str, Files]:
    """The files of a model with something changed, and what kind of change it was; the same for the same number."""
    rng = random.Random(number)  # noqa: S311  no secrets here
    change = rng.choice(CHANGES)
    changed = change(dict(files), rng)
    if rng.random() < 0.2:
        changed = rng.choice(CHANGES)(changed, rng)
    if change is not change_bytes or rng.random() < 0.7:
        changed = sign(changed)
    return change.__name__.removeprefix("change_"), changed


def sign(files: Files) -> Files:
    """The files with checksums that are right, as somebody who means harm would see to."""
    try:
        head = json.loads(files["model.json"])
        for name in head["checksums"]:
            head["checksums"][name] = hashlib.sha256(files[name]).hexdigest()
        return {**files, "model.json": json.dumps(head).encode()}
    except (ValueError, KeyError, TypeError, RecursionError):
        return files


def change_bytes(files: Files, rng: random.Random) -> Files:
    """Some bytes are others, or missing, or there are more."""
    name = rng.choice(NAMES)
    data = bytearray(files[name])
    how = rng.randrange(4)
    if how == 0:
        data = data[: rng.randrange(len(data) + 1)]
    elif how == 1:
        data += rng.randbytes(rng.randrange(1, 20))
    else:
        # The first bytes of an array file are its header, in which most can go wrong.
        reach = len(data) if how == 2 else min(len(data), 400)
        for _ in range(rng.randrange(1, 4)):
            if reach:
                data[rng.randrange(reach)] = rng.randrange(256)
    return {**files, name: bytes(data)}


def change_value(files: Files, rng: random.Random) -> Files:
    """A value of a JSON file is another."""
    name = rng.choice(NAMES[:2])
    return _changed(files, name, rng, lambda value: rng.choice(NUMBERS if rng.random() < 0.6 else OTHERS))


def change_setting(files: Files, rng: random.Random) -> Files:
    """A setting is another."""
    try:
        head = json.loads(files["model.json"])
        name = rng.choice(sorted(head["settings"]))
        head["settings"][name] = rng.choice([*NUMBERS, *OTHERS, "shortest", "simple", "trail", "dummy", "together"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return files
    return {**files, "model.json": json.dumps(head).encode()}


def change_text(files: Files, rng: random.Random) -> Files:
    """A value of a JSON file is what JSON has no room for."""
    name = rng.choice(NAMES[:2])
    marked = _changed(files, name, rng, lambda value: "@here@")
    return {**marked, name: marked[name].replace(b'"@here@"', rng.choice(TEXTS).encode())}


def change_shape(files: Files, rng: random.Random) -> Files:
    """A value of a JSON file is gone, or there twice."""

    def grow(value: Any) -> Any:
        if isinstance(value, list):
            return rng.choice([value[:-1], value + value, value[::-1], [value]])
        if isinstance(value, dict) and value:
            return {key: item for key, item in value.items() if key != rng.choice(sorted(value))}
        return [value, value]

    return _changed(files, rng.choice(NAMES[:2]), rng, grow)


def change_arrays(files: Files, rng: random.Random) -> Files:
    """An array is of another type or shape, has other values, is gone, or changes places with another."""
    try:
        arrays = dict(load_tensors(files["weights.safetensors"]))
        name, other = rng.choice(sorted(arrays)), rng.choice(sorted(arrays))
        how = rng.randrange(5)
        if how == 0:
            del arrays[name]
        elif how == 1:
            arrays[name], arrays[other] = arrays[other], arrays[name]
        elif how == 2:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arrays[name] = rng.choice(ARRAYS)(arrays[name])
        else:
            array = arrays[name].copy()
            flat = array.reshape(-1)
            for _ in range(rng.choice([1, 1, flat.size])):
                if flat.size:
                    wild = rng.choice(FLOATS) if flat.dtype.kind == "f" else rng.randrange(-128, 128)
                    with np.errstate(all="ignore"):
                        flat[rng.randrange(flat.size)] = wild
            arrays[name] = array
    except Exception:  # an array file that another change has spoilt
        return files
    return {**files, "weights.safetensors": save_tensors({k: np.ascontiguousarray(v) for k, v in arrays.items()})}


CHANGES = (change_bytes, change_value, change_setting, change_text, change_shape, change_arrays, change_arrays)


def _changed(files: Files, name: str, rng: random.Random, change: Callable[[Any], Any]) -> Files:
    """The files with one value of a JSON file, at any depth, replaced."""
    try:
        whole = json.loads(files[name])
        holder, key = None, None
        value = whole
        while isinstance(value, dict | list) and value and (holder is None or rng.random() < 0.85):
            holder = value
            key = rng.choice(sorted(value)) if isinstance(value, dict) else rng.randrange(len(value))
            value = value[key]
        if holder is None:
            whole = change(whole)
        else:
            holder[key] = change(value)
        return {**files, name: json.dumps(whole).encode()}
    except (ValueError, RecursionError):
        return files


def try_one(files: Files, folder: Path, questions: Examples) -> str:
    """What becomes of a model with these files: refused, loaded, or answers."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        model = load_model(folder)
    except R5Error as error:
        assert len(str(error)) < 2000, "the message is too long"
        str(error).encode()
        return "refused"
    try:
        answers = model.predict_many(questions)
        model.predict_proba(questions)
    except R5Error:
        return "loaded"
    assert len(answers) == len(questions)
    json.dumps([answer.to_json() for answer in answers], allow_nan=False)
    return "answers"


def limit_memory() -> None:
    """No more than `MEMORY` beyond what is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(models: Path, first: int, count: int) -> None:
    """Try so many mutations and print what became of them, and each that ended in anything but an `R5Error`."""
    warnings.simplefilter("error")
    questions = generate_world(seed=1, train=1, test=6).test
    engines = sorted(models.iterdir())
    originals = [{name: (folder / name).read_bytes() for name in NAMES} for folder in engines]
    work = Path(tempfile.mkdtemp()) / "model"
    for original in originals:
        assert try_one(original, work, questions) == "answers"
    limit_memory()
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    for number in range(first, first + count):
        engine = number % len(engines)
        kind, files = mutate(originals[engine], number)
        print(f"\r{number} {engines[engine].name} {kind}", end=" ", file=sys.stderr, flush=True)  # known if it crashes
        signal.alarm(SECONDS)
        try:
            outcome = try_one(files, work, questions)
        except Exception as error:  # whatever it is, it should have been an R5Error
            outcome = "failed"
            failures.append(f"{number} {engines[engine].name} {kind}: {error!r}")
        outcomes[f"{engines[engine].name} {kind} {outcome}"] += 1
    signal.alarm(0)
    shutil.rmtree(work.parent)
    print(json.dumps({"outcomes": dict(sorted(outcomes.items())), "failures": failures}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
