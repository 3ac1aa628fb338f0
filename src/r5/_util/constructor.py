"""A constructor whose parameters are those of a settings class: typed, in the signature, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["takes"]

P = ParamSpec("P")
T = TypeVar("T")


def takes(
    settings: Callable[P, object], varying: Iterable[str] = ()
) -> Callable[[Callable[[T, dict[str, Any]], None]], Callable[Concatenate[T, P], None]]:
    """Give `__init__(self, given)` the parameters of a settings class; `given` are those that the caller names.

    mypy and editors see the parameters with their types, and so does `inspect.signature`, which shows None as the
    default of those that are `varying`: what it is depends on others. Of them, None is as good as not given.

    >>> from dataclasses import dataclass
    >>> from r5._util.settings import Settings, from_names, setting
    >>> @dataclass(frozen=True)
    ... class CoinSettings(Settings):
    ...     seed: int = 0
    ...     bias: float = setting(0.5, least=0, most=1)
    >>> class Coin:
    ...     @takes(CoinSettings)
    ...     def __init__(self, given):
    ...         self.settings = from_names(CoinSettings, "a coin", given)
    >>> list(inspect.signature(Coin).parameters)
    ['seed', 'bias']
    >>> Coin(3, bias=0.7).settings
    CoinSettings(seed=3, bias=0.7)
    """
    left_open = frozenset(varying)
    parameters = [
        parameter.replace(default=None) if name in left_open else parameter
        for name, parameter in inspect.signature(settings).parameters.items()
    ]
    positional = inspect.Signature(parameters)

    def decorated(init: Callable[[T, dict[str, Any]], None]) -> Callable[Concatenate[T, P], None]:
        def constructor(self: T, /, *args: P.args, **named: P.kwargs) -> None:
            given = {**positional.bind_partial(*args).arguments, **named}
            init(self, {name: value for name, value in given.items() if not (value is None and name in left_open)})

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        shown = [p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in parameters]
        constructor.__signature__ = inspect.Signature([own, *shown])  # type: ignore[attr-defined]
        constructor.__doc__ = init.__doc__
        return constructor

    return decorated
