"""The program as a user runs it."""

from __future__ import annotations

import pytest

from r5.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `r5 arguments`, without its lines on files and kernels."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, out, without_reading(err)


def without_reading(log: str) -> str:
    """The log without its lines on how files were read, and on kernels compiled for the first time."""
    return "".join(line for line in log.splitlines(keepends=True) if not line.startswith(("read ", "compiling ")))
