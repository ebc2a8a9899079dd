"""A function as it is sent to a worker: a header anybody can read, and a payload.

The header says which versions packed it. It is read, and refused where it does not fit, before
the payload is unpickled: bytes pickled by another version can do anything but give a clear error.
"""

from __future__ import annotations

import json
import linecache
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark.sql.types import DataType

from notebook_udf import __version__
from notebook_udf.errors import VersionMismatch
from notebook_udf.functions.async_options import options_of
from notebook_udf.functions.base import WithGracefulShutdown
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.options import FunctionOptions
from notebook_udf.specs.pickling import unpack
from notebook_udf.specs.roles import Role
from notebook_udf.types import beside_views, contains_view

# A cell or module longer than this is quoted by line number only.
_MOST_SOURCE_LINES = 5000


def _versions() -> dict[str, str]:
    return {
        "python": "{}.{}".format(*sys.version_info[:2]),
        "notebook-udf": __version__,
    }


@dataclass(frozen=True)
class Header:
    """Everything about a shipped function except its code."""

    name: str
    version: int
    func_type: str
    parameters: tuple[str, ...]
    input_types: tuple[DataType | None, ...]
    result_type: DataType
    options: FunctionOptions
    hash: str
    source_file: str = ""
    source_lines: tuple[str, ...] = field(default=(), repr=False)
    role: Role = "scalar"
    # What accumulators are held to, as held_accumulator answers it.
    accumulator_type: DataType | None = None
    # Whether it is to be told when its job ends in order.
    graceful: bool = False
    # What the planner has to say of it where it stands, for readers of the plan.
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        # The versions first: that is what a plan's reader knows a header by.
        document: dict[str, Any] = {
            "versions": _versions(),
            **vars(self),
            "input_types": [t and t.json() for t in self.input_types],
            "result_type": self.result_type.json(),
            "options": asdict(self.options),
            "accumulator_type": self.accumulator_type and self.accumulator_type.json(),
        }
        return json.dumps(document)

    @classmethod
    def from_json(cls, text: str) -> Header:
        """Reads a header.

        Raises
        ------
        VersionMismatch
            If it was packed by another version of Python or of this package.
        """
        from pyspark.sql.types import _parse_datatype_json_string as parse

        document = json.loads(text)
        here = _versions()
        for part, there in document.pop("versions").items():
            if here.get(part) != there:
                raise VersionMismatch(
                    f"{document['name']} was packed by {part} {there} and this worker runs "
                    f"{part} {here.get(part)}: install the same version for the workers "
                    f"({sys.executable})"
                )
        for name in ("parameters", "source_lines", "notes"):
            document[name] = tuple(document[name])
        for name in ("result_type", "accumulator_type"):
            document[name] = document[name] and parse(document[name])
        document["input_types"] = tuple(t and parse(t) for t in document["input_types"])
        document["options"] = options_of(document["options"])
        return cls(**document)


@dataclass(frozen=True)
class Shipment:
    """A header, still as text, and the pickled function."""

    header: str
    payload: bytes = field(repr=False)

    def unpack(self) -> tuple[Header, Any]:
        """The header and the function.

        Raises
        ------
        VersionMismatch
            Before anything is unpickled.
        ModuleNotFoundError
            If the function needs a package this worker does not have.
        """
        header = Header.from_json(self.header)
        if header.source_file and header.source_lines:
            # Tracebacks made in this worker can then quote the cell.
            lines = [line + "\n" for line in header.source_lines]
            size = sum(map(len, lines))
            linecache.cache[header.source_file] = (size, None, lines, header.source_file)
        return header, unpack(self.payload)


def ship(
    name: str,
    version: int,
    definition: FunctionDefinition,
    payload: bytes,
    *,
    role: Role = "scalar",
    notes: tuple[str, ...] = (),
) -> Shipment:
    """Packs a definition and its pickled function, to be called in a role; ``notes`` are for
    readers of the plan."""
    from hashlib import sha256

    source = definition.source
    header = Header(
        name=name,
        version=version,
        func_type=definition.func_type,
        parameters=definition.parameters,
        input_types=definition.input_types or (),
        result_type=definition.declared_type,
        options=definition.options,
        hash=sha256(payload).hexdigest(),
        source_file=source.file,
        source_lines=source.lines if len(source.lines) <= _MOST_SOURCE_LINES else (),
        role=role,
        accumulator_type=held_accumulator(definition),
        graceful=isinstance(definition.function, WithGracefulShutdown),
        notes=notes,
    )
    return Shipment(header.to_json(), payload)


def travelling_accumulator(definition: FunctionDefinition) -> DataType | None:
    """The type accumulators have between partitions; None if they are pickled.

    Views hold any objects, so an accumulator with one in it is pickled whole.
    """
    declared = definition.accumulator_type
    return None if declared is None or contains_view(declared) else declared


def held_accumulator(definition: FunctionDefinition) -> DataType | None:
    """The type accumulators are held to, views in them being marked; None if there is none."""
    declared = definition.accumulator_type
    return None if declared is None else beside_views(declared)
