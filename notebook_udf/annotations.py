"""Converts Python annotations to Spark types.

Covers builtins, the date and decimal classes, generic containers, ``Optional``, ``Annotated``,
numpy's scalar classes, and dataclasses, NamedTuples and TypedDicts as structs. The caller resolves
annotations that are still text, in the function's namespace; the declaration of table functions
unpacks their ``Iterator[...]``.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import types
import typing
import warnings
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    TimeType,
    VariantType,
    VariantVal,
)

from notebook_udf.datatypes import NotNull, TypeSpec, unwrap
from notebook_udf.ddl import parse
from notebook_udf.errors import TypeDeclarationError

_SCALARS: dict[Any, DataType] = {
    bool: BooleanType(),
    int: LongType(),
    float: DoubleType(),
    str: StringType(),
    bytes: BinaryType(),
    bytearray: BinaryType(),
    decimal.Decimal: DecimalType(38, 18),
    datetime.date: DateType(),
    datetime.datetime: TimestampType(),
    datetime.time: TimeType(6),
    datetime.timedelta: DayTimeIntervalType(),
    VariantVal: VariantType(),
    None: NullType(),
    types.NoneType: NullType(),
}
# In a field's metadata: a dict may lack the key, and the field is then NULL.
MAY_LACK = "notebook-udf.may-lack"
# Qualifiers of a TypedDict's keys, by name: each of ``typing`` and ``typing_extensions`` has its
# own.
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly")
# Keyed by numpy's kind and size: unsigned types take the next signed one that holds them.
_NUMPY: dict[str, DataType] = {
    "b1": BooleanType(),
    "i1": ByteType(),
    "i2": ShortType(),
    "i4": IntegerType(),
    "i8": LongType(),
    "u1": ShortType(),
    "u2": IntegerType(),
    "u4": LongType(),
    "f4": FloatType(),
    "f8": DoubleType(),
}
_LISTS = {list, collections.abc.Sequence, collections.abc.MutableSequence}
_DICTS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}
_HOW = (
    "Give it explicitly, as DDL such as 'BIGINT' or 'ARRAY<STRING>', as DataTypes.BIGINT(), or as "
    "a Spark DataType."
)


def from_annotation(annotation: Any, *, what: str) -> DataType:
    """Converts an annotation to a Spark type.

    Fields that a TypedDict may lack are marked in their metadata, under ``MAY_LACK``.

    Parameters
    ----------
    annotation
        An annotation as an object, not as text.
    what
        What is being declared, for the message: ``"the result of f"``.

    Raises
    ------
    TypeDeclarationError
        If the annotation is missing, names no type (``Any``), several (``int | str``), or one
        that Spark has no type for.
    """
    return unwrap(_Reading(what).spec(annotation), what=what)[0]


class _Reading:
    """Reads the annotation of one declaration, named in messages; nested classes are unfolded."""

    def __init__(self, what: str, unfolding: tuple[type, ...] = ()) -> None:
        self._what = what
        self._unfolding = unfolding

    def _refuse(self, annotation: Any, reason: str) -> TypeDeclarationError:
        name = annotation.__name__ if isinstance(annotation, type) else repr(annotation)
        if typing.get_origin(annotation) is not None:
            name = repr(annotation)
        return TypeDeclarationError(f"{self._what} is annotated with {name}: {reason} {_HOW}")

    def spec(self, annotation: Any) -> TypeSpec:
        if isinstance(annotation, (DataType, NotNull)):
            return annotation
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            return self._annotated(arguments)
        if _qualifier(origin):
            return self.spec(arguments[0])
        if origin is typing.Union or origin is types.UnionType:
            return self._union(annotation, arguments)
        if origin is typing.Literal:
            return self._union(annotation, tuple({type(value) for value in arguments}))
        if origin in _LISTS and len(arguments) == 1:
            return self._array(arguments[0])
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return self._array(arguments[0])
        if origin in _DICTS and len(arguments) == 2:
            key, _ = unwrap(self.spec(arguments[0]), what=self._what)
            value, contains_null = unwrap(self.spec(arguments[1]), what=self._what)
            return MapType(key, value, contains_null)
        for alias in ("__supertype__", "__value__"):  # NewType, and ``type X = ...``
            if not isinstance(annotation, type) and hasattr(annotation, alias):
                return self.spec(getattr(annotation, alias))
        return self._plain(annotation, origin)

    def _plain(self, annotation: Any, origin: Any) -> TypeSpec:
        try:
            found = _SCALARS.get(annotation)
        except TypeError:  # a list, such as [int]
            raise self._refuse(annotation, "that is a value, not a type.") from None
        if found is not None:
            return found
        if isinstance(annotation, str):
            raise self._refuse(annotation, "it is still text and could not be looked up.")
        if isinstance(annotation, type) and origin is None:
            if annotation.__module__.partition(".")[0] == "numpy":
                return self._numpy(annotation)
            if dataclasses.is_dataclass(annotation):
                names = [field.name for field in dataclasses.fields(annotation)]
                return self._struct(annotation, names)
            if is_typed_dict(annotation):
                return self._struct(annotation, list(annotation.__annotations__))
            if issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
                return self._struct(annotation, list(annotation._fields))
        raise self._refuse(annotation, self._reason(annotation, origin))

    @staticmethod
    def _reason(annotation: Any, origin: Any) -> str:
        container = origin or annotation
        if annotation is Any or annotation is object:
            return "that says nothing about the type."
        if container in _LISTS:
            return "the type of the elements is missing, as in list[int]."
        if container in _DICTS:
            return "the types of keys and values are missing, as in dict[str, int]."
        if container is tuple:
            return (
                "a tuple of different types needs names; write a NamedTuple or a dataclass, or "
                "tuple[int, ...] for any number of one type."
            )
        if container in (set, frozenset, collections.abc.Set):
            return "Spark has no sets; write list[T] and return a list."
        if container in (
            collections.abc.Iterator,
            collections.abc.Iterable,
            collections.abc.Generator,
        ):
            return "only a table function yields its results."
        return "Spark has no type that matches it."

    def _annotated(self, arguments: tuple[Any, ...]) -> TypeSpec:
        for extra in arguments[1:]:
            if isinstance(extra, (DataType, NotNull)):
                return extra
            if isinstance(extra, str):
                return parse(extra, what=self._what)
        return self.spec(arguments[0])

    def _union(self, annotation: Any, arguments: tuple[Any, ...]) -> TypeSpec:
        members = [self.spec(part) for part in arguments if part is not types.NoneType]
        if not members:
            return NullType()
        if any(member != members[0] for member in members):
            raise self._refuse(annotation, "a column holds one type, and these are several.")
        if types.NoneType in arguments:
            return unwrap(members[0], what=self._what)[0]
        return members[0]

    def _array(self, element: Any) -> DataType:
        data_type, contains_null = unwrap(self.spec(element), what=self._what)
        return ArrayType(data_type, contains_null)

    def _numpy(self, annotation: type) -> DataType:
        import numpy as np

        if issubclass(annotation, np.str_):
            return StringType()
        if issubclass(annotation, np.bytes_):
            return BinaryType()
        if issubclass(annotation, np.generic):
            with warnings.catch_warnings():
                # An abstract class such as np.integer is an error, or in older versions a warning.
                warnings.simplefilter("ignore")
                try:
                    dtype = np.dtype(annotation)
                except TypeError:
                    dtype = np.dtype(object)
            found = _NUMPY.get(f"{dtype.kind}{dtype.itemsize}")
            if found is not None and dtype.type is annotation:
                return found
        if issubclass(annotation, np.ndarray):
            raise self._refuse(annotation, "it does not say what it holds; write list[int].")
        raise self._refuse(annotation, "Spark has no type that matches it.")

    def _struct(self, cls: type, names: list[str]) -> StructType:
        if cls in self._unfolding:
            raise self._refuse(cls, "it contains itself, and a Spark type has an end.")
        try:
            hints = typing.get_type_hints(cls, include_extras=True)
        except NameError as missing:
            raise self._refuse(
                cls, f"its annotation {missing.name!r} is not defined where {cls.__name__} is."
            ) from None
        fields = []
        optional = optional_keys(cls)
        for name in names:
            inner = _Reading(
                f"field {name!r} of {cls.__name__}, in {self._what},", (*self._unfolding, cls)
            )
            if name not in hints:
                raise TypeDeclarationError(
                    f"{inner._what} has no annotation. Write typing.NamedTuple or a dataclass "
                    f"with annotated fields. {_HOW}"
                )
            data_type, nullable = unwrap(inner.spec(hints[name]), what=inner._what)
            if name in optional:
                fields.append(StructField(name, data_type, True, {MAY_LACK: True}))
            else:
                fields.append(StructField(name, data_type, nullable))
        return StructType(fields)


def is_typed_dict(cls: Any) -> bool:
    """Whether a class is a TypedDict, of ``typing`` or of ``typing_extensions``."""
    return isinstance(cls, type) and issubclass(cls, dict) and hasattr(cls, "__total__")


def optional_keys(cls: type) -> frozenset[str]:
    """The keys that a TypedDict may lack; none of any other class."""
    if not is_typed_dict(cls):
        return frozenset()
    told: frozenset[str] = cls.__optional_keys__  # type: ignore[attr-defined]
    try:
        # Where annotations are text, their qualifiers are known only now.
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError:
        return told
    return frozenset(key for key, hint in hints.items() if _may_lack(hint, key in told))


def _may_lack(hint: Any, told: bool) -> bool:
    """Whether a key may be missing: by its annotation's qualifier, else by the class."""
    origin = typing.get_origin(hint)
    name = _qualifier(origin)
    if name in ("Required", "NotRequired"):
        return name == "NotRequired"
    if name or origin is typing.Annotated:
        return _may_lack(typing.get_args(hint)[0], told)
    return told


def _qualifier(origin: Any) -> str:
    name = getattr(origin, "_name", None)
    return name if name in _QUALIFIERS else ""
