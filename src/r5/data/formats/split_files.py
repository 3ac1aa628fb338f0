"""Files of a folder of triples by split, of a training graph and of an inference graph."""

from __future__ import annotations

from pathlib import Path

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.reading import list_files
from r5.data.formats import rdf
from r5.data.formats.tables.databases import DATABASE_SUFFIXES
from r5.data.formats.tables.json_rows import JSON_SUFFIXES
from r5.errors import DataError

__all__ = ["INFERENCE", "SPLIT_OF", "SUFFIXES", "find_paired_files", "find_split_files", "is_of_inference", "split_of"]

SUFFIXES = (".tsv", ".txt", ".csv", ".parquet", *JSON_SUFFIXES, *rdf.FORMATS, *DATABASE_SUFFIXES)
SPLIT_OF = {
    "facts": "facts",
    "train": "train",
    "valid": "valid",
    "val": "valid",
    "dev": "valid",
    "validation": "valid",
    "test": "test",
}
"""Split by file name without suffix."""
INFERENCE = "inference"
"""Name of the file of an inference graph, and beginning of the names of its other splits."""


def split_of(file: Path) -> str | None:
    """Return the split of a file, such as `train` or `inference_test`; None for other files."""
    file = strip_compression_suffix(file)
    stem = file.stem.lower()
    if file.suffix.lower() not in SUFFIXES:
        return None
    if stem == INFERENCE:
        return f"{INFERENCE}_train"
    part = SPLIT_OF.get(stem.removeprefix(f"{INFERENCE}_"))
    return f"{INFERENCE}_{part}" if part and stem.startswith(INFERENCE) else part


def find_split_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by split."""
    files: dict[str, Path] = {}
    for file in list_files(folder, "*"):
        split = split_of(file)
        if split in files:
            raise DataError(f"duplicated split: {files[split].name} and {file.name} are both {split}", folder)
        if split is not None:
            files[split] = file
    if "train" not in files:
        found = ", ".join(file.name for file in files.values()) or "none of the splits"
        wanted = " ".join(f"train{suffix}" for suffix in SUFFIXES)
        raise DataError(f"has no training triples: expected one of {wanted}; found {found}", folder)
    inference = [file.name for split, file in files.items() if is_of_inference(split)]
    if inference and f"{INFERENCE}_train" not in files:
        raise DataError(f"has no inference graph: expected {INFERENCE}.txt beside {', '.join(inference)}", folder)
    return files


def find_paired_files(folder: Path) -> dict[str, Path]:
    """Return the files of the inference graph of a folder, which are in the folder with `_ind` at the end."""
    pair = folder.resolve().with_name(f"{folder.resolve().name}_ind")
    if not (folder.is_dir() and pair.is_dir()):
        wanted = f"the folder {pair.name} beside it, or {INFERENCE}.txt in it"
        raise DataError(f"has no inference graph: expected {wanted}", folder)
    files = find_split_files(pair)
    return {f"{INFERENCE}_{split}": file for split, file in files.items() if not is_of_inference(split)}


def is_of_inference(split: str) -> bool:
    """Return whether a split belongs to the inference graph."""
    return split.startswith(INFERENCE)
