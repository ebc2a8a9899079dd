"""Declaring async functions: what makes one, its options, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import AsyncScalarFunction, ScalarFunction, udf
from notebook_udf.functions.async_options import AsyncOptions, options_of
from notebook_udf.functions.definition import FunctionDefinition


async def fetch(x: int) -> str:
    return str(x)


def test_an_async_def_is_an_async_function() -> None:
    made = udf(fetch)
    assert made.kind == "async"
    assert made.is_async
    assert made.deterministic
    assert made.signature == "fetch(x bigint) -> string"
    options = made.options
    assert (options.buffer_capacity, options.timeout, options.output_mode) == (10, 180, "ORDERED")
    assert (options.retry_strategy, options.fixed_delay) == ("FIXED_DELAY", 0.1)
    assert (options.max_attempts, options.open_scope) == (3, "query")
    assert options.attempts == 3


def test_options_are_parsed_and_survive_their_journey() -> None:
    import dataclasses
    import json

    made: FunctionDefinition = udf(
        fetch,
        buffer_capacity=100,
        timeout="2s",
        output_mode="allow_unordered",
        retry_strategy="NO_RETRY",
        fixed_delay="1 s",
        max_attempts=5,
        retry_on=[TimeoutError, ConnectionError],
        share_calls=True,
        on_error="null",
        open_scope="task",
    )
    options = made.options
    assert isinstance(options, AsyncOptions)
    assert options.attempts == 1
    assert options.retry_on == ("builtins.TimeoutError", "builtins.ConnectionError")
    assert (options.timeout, options.fixed_delay) == (2.0, 1.0)
    assert options_of(json.loads(json.dumps(dataclasses.asdict(options)))) == options
    assert hash(options) == hash(options_of(dataclasses.asdict(options)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buffer_capacity": 0}, "buffer_capacity: 0 is not a whole number"),
        ({"buffer_capacity": "many"}, "'many' is not a whole number"),
        ({"buffer_capacity": True}, "True is not a whole number"),
        ({"timeout": "soon"}, "'soon' is not a duration"),
        ({"output_mode": "RANDOM"}, "'RANDOM' is not one of"),
        ({"retry_strategy": "EXPONENTIAL"}, "retry_strategy: 'EXPONENTIAL'"),
        ({"fixed_delay": "-1s"}, "'-1s' is not a duration"),
        ({"max_attempts": 1.5}, "1.5 is not a whole number"),
        ({"retry_on": "Exception"}, "is not an exception class"),
        ({"retry_on": KeyboardInterrupt}, "is not an exception class"),
        ({"share_calls": 1}, "1 is neither True nor False"),
        ({"share_calls": True, "deterministic": False}, "share_calls=True"),
        ({"capacity": 3}, r"no option 'capacity' \(did you mean buffer_capacity\?\); there are"),
        ({"func_type": "pandas"}, "leave func_type out"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(nu.DeclarationError, match=message):
        udf(fetch, **options)


def test_async_options_are_for_async_functions() -> None:
    with pytest.raises(nu.DeclarationError, match="no option 'buffer_capacity'"):
        udf(lambda x: x, result_type="bigint", buffer_capacity=3)


def test_classes_say_what_they_are() -> None:
    class Plain(AsyncScalarFunction):
        def eval(self, x: int) -> int:  # type: ignore[override]
            return x

    class Awaits(ScalarFunction):
        async def eval(self, x: int) -> int:  # type: ignore[override]
            return x

    class Good(AsyncScalarFunction):
        async def eval(self, x: int) -> int:
            return x

        def is_deterministic(self) -> bool:
            return False

    with pytest.raises(nu.DeclarationError, match="a plain def: derive the class from ScalarF"):
        udf(Plain)
    with pytest.raises(nu.DeclarationError, match="async: derive the class from AsyncScalarF"):
        udf(Awaits)
    made = udf(Good)
    assert (made.kind, made.deterministic, made.parameters) == ("async", False, ("x",))


def test_async_generators_are_refused() -> None:
    async def yields(x: int) -> Any:
        yield x

    with pytest.raises(nu.DeclarationError, match="yields rows"):
        udf(yields, result_type="bigint")
