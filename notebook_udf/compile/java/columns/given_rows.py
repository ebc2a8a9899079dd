"""The rows that a table function gives, as a list that Spark explodes.

What does not fit a column is no exception of the function's: Python finds out behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from notebook_udf.compile.java.columns.spark_types import column, is_known, row, whole
from notebook_udf.compile.java.iterating.iterators import iterated
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    NONE,
    Kinds,
    NotCompiled,
    Parts,
    Value,
    array_of,
    constant_parts,
    is_dict,
    is_list,
    is_record,
    is_set,
)

# Of one input, see PyRows.
MOST_ROWS = 1 << 22
_ROWS = "rows"
# Java refuses a statement that cannot be reached.
_GIVES_UP = "if (true) throw GaveUp.GAVE_UP;"


@dataclass
class GivenRows:
    """The statements that put rows into the list, and that return it.

    Attributes
    ----------
    yields
        Whether it gives them one by one, and what it returns is none.
    rows_as
        What a row of one column is: ``either`` the bare value or a row that holds it, or always a
        ``value`` or a ``row``.
    fits
        Whether some of what was written may fit.
    """

    columns: StructType
    yields: bool
    rows_as: Literal["either", "value", "row"] = "either"
    fits: bool = False

    def __post_init__(self) -> None:
        for field in self.columns.fields:
            if not is_known(field.dataType):
                raise NotCompiled(f"rows with a column of type {field.dataType.simpleString()}")
            if not field.nullable:
                raise NotCompiled(f"rows whose {field.name} is NOT NULL")

    def given(self, code: Code, value: Value) -> list[str]:
        """The statements for a row."""
        said, java = code.captured(lambda: self._row(code, value))
        if java is None:
            return [_GIVES_UP]
        self.fits = True
        code.variables[_ROWS] = "PyRows"
        return [
            "try {",
            *said,
            f"{_ROWS}.put({java});",
            f"}} catch (Raised misfit) {{ {_GIVES_UP} }}",
        ]

    def returned(self, code: Code, value: Value) -> list[str]:
        """The statements that return what was given, and of a plain function what it returns."""
        code.variables[_ROWS] = "PyRows"
        made = () if self.yields else code.captured(lambda: self._all(code, value))[0]
        return [*made, f"return {_ROWS};"]

    def _all(self, code: Code, value: Value) -> None:
        """Writes what puts the rows in what is returned into the list."""
        value = constant_parts(value)
        if isinstance(value, Parts):
            self._all_parts(code, value)
            return
        term = code.term(value)
        if term.kinds == NONE:
            self.fits = True
            return
        if is_set(term.kinds - NONE):
            raise NotCompiled("a set as rows, whose order varies")
        if is_dict(term.kinds - NONE):
            raise NotCompiled("a dict as a row")
        if "none" in term.kinds:
            code.say(f"if ({term.java} == null) return {_ROWS};")
            term = code.integers.narrowed(term, term.kinds - NONE)
        if not is_list(term.kinds):
            self._say(code, term)
            return
        if code.lists.of(term.kinds):
            over = iterated(code, term)
            code.loop(over, partial(self._say, code, over.value))

    def _all_parts(self, code: Code, value: Parts) -> None:
        self.fits = self.fits or not value.parts
        rows = value.parts if value.form == "list" else (value,) if value.parts else ()
        for each in rows:
            self._say(code, each)

    def _say(self, code: Code, value: Value) -> None:
        code.say_all(self.given(code, value))

    def _row(self, code: Code, value: Value) -> str | None:
        """A row as Spark's; None if no value of its kinds fits."""
        value = constant_parts(value)
        if self.rows_as == "value":
            return _single(column(code, value, self.columns.fields[0].dataType))
        if self.rows_as == "either" and len(self.columns.fields) == 1:
            return self._of_one(code, value, self.columns.fields[0].dataType)
        if isinstance(value, Parts):
            return row(code, value, self.columns)
        term = code.term(value)
        if not (is_list(term.kinds) or is_record(term.kinds)):
            # None is no row either.
            present = term.kinds - NONE
            if self.rows_as == "row" or any(map(_is_several, _each(present))):
                raise NotCompiled("what may be no row")
            return None
        return whole(code, term, self.columns)

    def _of_one(self, code: Code, value: Value, data_type: DataType) -> str | None:
        """A row of one column: a value, or a row that holds it."""
        nested = isinstance(data_type, (ArrayType, MapType, StructType))
        if nested:
            return self._of_one_nested(code, value, data_type)
        if isinstance(value, Parts):
            return row(code, value, self.columns)
        term = code.term(value)
        if is_list(term.kinds) or is_record(term.kinds):
            return whole(code, term, self.columns)
        if any(map(_is_several, _each(term.kinds))):
            raise NotCompiled("a value in one row, and a tuple or a list in another")
        return _single(column(code, term, data_type))

    def _of_one_nested(self, code: Code, value: Value, data_type: DataType) -> str | None:
        is_array = isinstance(data_type, ArrayType)
        if isinstance(value, Parts):
            fits = value.form == "list" if is_array else value.form == "dict"
        else:
            kinds = code.term(value).kinds - NONE
            fits = not kinds or (is_list(kinds) if is_array else is_dict(kinds))
        if not fits or isinstance(data_type, StructType):
            raise NotCompiled("what may be the value of a column, or a row that holds it")
        return _single(column(code, value, data_type))


def _each(kinds: Kinds) -> list[Kinds]:
    return [frozenset({kind}) for kind in kinds]


def _is_several(kinds: Kinds) -> bool:
    return is_list(kinds) or is_record(kinds) or is_dict(kinds)


def _single(java: str | None) -> str | None:
    if java is None:
        return None
    return f"org.apache.spark.sql.RowFactory.create({array_of([f'(Object) {java}'])})"
