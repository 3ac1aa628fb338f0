"""Settings of an operator are checked where they enter."""

from __future__ import annotations

import pytest

from r5.errors import R5Error
from r5.serve.operation import Operation


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"hosts": ("https://r5.example.org",)}, "--allow-host needs a host name"),
        ({"hosts": ("*",)}, "--allow-host needs a host name"),
        ({"root_path": "r5"}, "--root-path needs a path such as /r5"),
        ({"root_path": "/../etc"}, "--root-path needs a path such as /r5"),
        ({"root_path": '/"><script>'}, "--root-path needs a path such as /r5"),
        ({"token": "short"}, "the token in R5_TOKEN needs 16 to 512"),
        ({"token": ""}, "the token in R5_TOKEN needs 16 to 512"),
    ],
)
def test_invalid_settings_are_errors(settings: dict[str, object], told: str) -> None:
    with pytest.raises(R5Error, match=told):
        Operation(**settings)  # type: ignore[arg-type]


def test_a_slash_at_the_end_of_the_prefix_is_ignored() -> None:
    assert Operation(root_path="/r5/").root_path == "/r5"
    assert Operation(root_path="/").root_path == ""
