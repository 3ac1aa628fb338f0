"""Signatures of generated functions: constructors of settings, functions with bound arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["bind_arguments", "takes_settings"]

P = ParamSpec("P")
T = TypeVar("T")


def takes_settings(
    settings: Callable[P, object], varying: Iterable[str] = ()
) -> Callable[[Callable[[T, dict[str, Any]], None]], Callable[Concatenate[T, P], None]]:
    """Decorate `__init__(self, given)` with the parameters of a settings class; `given` holds the passed arguments.

    mypy, editors and `inspect.signature` see the parameters with their types.

    Args:
        settings: Settings class.
        varying: Parameters with a default that depends on others: the signature shows None, and None is not passed on.

    >>> from dataclasses import dataclass
    >>> from r5._util.settings import Settings, build_settings, setting
    >>> @dataclass(frozen=True)
    ... class CoinSettings(Settings):
    ...     seed: int = 0
    ...     bias: float = setting(0.5, least=0, most=1)
    >>> class Coin:
    ...     @takes_settings(CoinSettings)
    ...     def __init__(self, given):
    ...         self.settings = build_settings(CoinSettings, "a coin", given)
    >>> list(inspect.signature(Coin).parameters)
    ['seed', 'bias']
    >>> Coin(3, bias=0.7).settings
    CoinSettings(seed=3, bias=0.7)
    """
    optional = frozenset(varying)
    parameters = [
        parameter.replace(default=None) if name in optional else parameter
        for name, parameter in inspect.signature(settings).parameters.items()
    ]
    positional = inspect.Signature(parameters)

    def decorated(init: Callable[[T, dict[str, Any]], None]) -> Callable[Concatenate[T, P], None]:
        def constructor(self: T, /, *args: P.args, **named: P.kwargs) -> None:
            given = {**positional.bind_partial(*args).arguments, **named}
            init(self, {name: value for name, value in given.items() if not (value is None and name in optional)})

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        shown = [p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in parameters]
        constructor.__signature__ = inspect.Signature([own, *shown])  # type: ignore[attr-defined]
        constructor.__doc__ = init.__doc__
        return constructor

    return decorated


def bind_arguments(function: Callable[..., T], docstring: str, /, **bound: object) -> Callable[..., T]:
    """Return a function with some arguments bound, the others keyword-only, and a docstring of its own.

    >>> def power(base: float, exponent: float = 2) -> float: return base**exponent
    >>> cube = bind_arguments(power, "The third power.", exponent=3)
    >>> cube(base=2), str(inspect.signature(cube)), cube.__doc__
    (8, "(*, base: 'float') -> 'float'", 'The third power.')
    """

    @wraps(function)
    def fixed(**others: object) -> T:
        return function(**bound, **others)

    signature = inspect.signature(function)
    free = [p.replace(kind=p.KEYWORD_ONLY) for name, p in signature.parameters.items() if name not in bound]
    fixed.__signature__ = signature.replace(parameters=free)  # type: ignore[attr-defined]
    fixed.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name not in bound}
    fixed.__doc__ = docstring
    return fixed
