"""Reads PySpark's own function objects: what ``udf``, ``pandas_udf``, ``arrow_udf`` and ``udtf``
made of a user's code, of the classic PySpark and of Connect's.

An object has the function, the type of its result and its kind, as PySpark's number of it.
``adopted_function`` declares the same as a function of this package.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import DataType

from notebook_udf.errors import DeclarationError

# By name, because asking Connect's module for its class would load a client that few have.
_CLASSES = {
    ("pyspark.sql.udf", "UserDefinedFunction"),
    ("pyspark.sql.connect.udf", "UserDefinedFunction"),
    ("pyspark.sql.udtf", "UserDefinedTableFunction"),
    ("pyspark.sql.connect.udtf", "UserDefinedTableFunction"),
}


@dataclass(frozen=True)
class SparkObject:
    """What is declared by a function object of PySpark's.

    Attributes
    ----------
    name
        Its name: the function's own, or the one that it was registered under.
    function
        The user's function; of a ``udtf`` the class.
    eval_type
        PySpark's number of its kind.
    result_type
        The type of its result; of a ``udtf`` its columns, and None where ``analyze`` makes them.
    deterministic
        Whether PySpark takes it to give equal results for equal arguments.
    """

    name: str
    function: Any
    eval_type: int
    result_type: DataType | None
    deterministic: bool


def spark_object(f: Any) -> SparkObject | None:
    """What is declared by a function object of PySpark's; None for anything else."""
    held = _held(f)
    if held is None:
        return None
    name = str(held._name)
    return SparkObject(
        "lambda" if name == "<lambda>" else name,
        held.func,
        int(held.evalType),
        held.returnType,
        bool(held.deterministic),
    )


def is_spark_object(f: Any) -> bool:
    """Whether it is a function object of PySpark's; its types, which Spark may have to read, are
    not looked at."""
    return _held(f) is not None


def refuse_spark_object(f: Any) -> None:
    """Refuses a function object of PySpark's where a function is to be declared.

    Raises
    ------
    DeclarationError
        If it is one.
    """
    held = _held(f)
    if held is not None:
        raise DeclarationError(
            f"{held._name} is a function object of PySpark's, which has its types already: give it "
            f"to session.register_function or nu.register as it is, or declare its .func"
        )


def _held(f: Any) -> Any:
    # A decorated function is a plain one that holds the object, which alone knows whether it was
    # made nondeterministic later.
    held = getattr(f, "_unwrapped", None) if inspect.isfunction(f) else f
    names = {(cls.__module__, cls.__name__) for cls in type(held).__mro__}
    return held if names & _CLASSES else None
