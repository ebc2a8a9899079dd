"""Pickling what functions keep: objects of a notebook's classes, wherever they are loaded.

A class of a cell or a script is in no module that a worker could import; workers know it because it
arrived with a function. So an object is pickled with a reference to its class: the very class where
the function that is being run knows it, a class that was redefined since included; else the one of
the same name, as after a restart. A class that no function brought along travels by value.
"""

from __future__ import annotations

import io
import pickle
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from operator import attrgetter
from types import FunctionType
from typing import Any

from pyspark.cloudpickle import CloudPickler
from pyspark.cloudpickle import cloudpickle as tracked

from notebook_udf.errors import SessionError

# Classes that arrived with functions: their tracker's number, and the last one of each name.
_arrived: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()
_named: weakref.WeakValueDictionary[tuple[str, str], type] = weakref.WeakValueDictionary()

# Modules that every process has, so that the name of what they hold is enough.
_EVERYWHERE = ("notebook_udf.", "copyreg")

_SKELETONS = ("_make_skeleton_class", "_make_skeleton_enum")


def unpack(payload: bytes) -> Any:
    """A function, and with it the classes that its objects are of."""
    return _Unpacker(io.BytesIO(payload)).load()


def dumps(value: Any) -> bytes:
    """Pickles an object.

    Raises
    ------
    Exception
        If something in it cannot be pickled; which one depends on what it is.
    """
    try:
        return pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError):
        return dumper()(value)


def dumps_all(values: list[Any]) -> list[bytes]:
    """Pickles objects one by one."""
    try:
        return [pickle.dumps(value, 5) for value in values]
    except (pickle.PicklingError, AttributeError, TypeError):
        return list(map(dumper(), values))


def dumper(
    reducers: Mapping[type, Callable[[Any], Any]] | None = None, *, steady: bool = False
) -> Callable[[Any], bytes]:
    """Pickles objects that may be of a notebook's classes.

    Parameters
    ----------
    reducers
        What to do with objects of certain classes, see ``pickle.Pickler.dispatch_table``.
    steady
        Whether equal objects have to give the same bytes in every process.
    """
    file = io.BytesIO()
    pickler = _Pickler(file, reducers or {}, steady=steady)

    def dump(value: Any) -> bytes:
        file.seek(0)
        file.truncate()
        pickler.clear_memo()
        pickler.dump(value)
        return file.getvalue()

    return dump


class _Pickler(CloudPickler):  # type: ignore[misc]
    def __init__(
        self, file: io.BytesIO, reducers: Mapping[type, Callable[[Any], Any]], *, steady: bool
    ) -> None:
        # A dict, because looking into a chain of them would take longer than all the rest; and
        # before anything else, because it is read only here.
        self.dispatch_table = {**CloudPickler.dispatch_table, **reducers}
        super().__init__(file, 5)
        self._steady = steady

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, (type, FunctionType)) or obj.__module__.startswith(_EVERYWHERE):
            return NotImplemented
        number = _arrived.get(obj) if isinstance(obj, type) else None
        if number is not None:
            return _class, ("" if self._steady else number, obj.__module__, obj.__qualname__)
        return super().reducer_override(obj)


class _Unpacker(pickle.Unpickler):
    """Notes the classes that are made on the way."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._made: list[type] = []

    def load(self) -> Any:
        loaded = super().load()
        # Only now have they all their names.
        for made in self._made:
            number = tracked._DYNAMIC_CLASS_TRACKER_BY_CLASS.get(made)
            if number is not None:
                _arrived[made] = number
                _named[made.__module__, made.__qualname__] = made
        return loaded

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        if name not in _SKELETONS:
            return found

        def make(*arguments: Any) -> type:
            made: type = found(*arguments)
            self._made.append(made)
            return made

        return make


class Unknown:
    """An object of a class that is not known here: what it holds, to be shown."""

    def __new__(cls, *values: Any) -> Any:
        made = super().__new__(cls)
        vars(made).update({f"_{place}": value for place, value in enumerate(values)})
        return made

    def __setstate__(self, state: Any) -> None:
        for part in state if isinstance(state, tuple) else (state,):
            vars(self).update(part if isinstance(part, dict) else {"state": part})

    def __repr__(self) -> str:
        held = (f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__qualname__}({', '.join(held)})"


# Whether objects of unknown classes are shown, or refused because something would run with them.
_shows_unknown = ContextVar("shows_unknown", default=False)


@contextmanager
def showing_unknown() -> Iterator[None]:
    """While nothing but people look at what is loaded, no class has to be known."""
    before = _shows_unknown.set(True)
    try:
        yield
    finally:
        _shows_unknown.reset(before)


def _class(number: str, module: str, name: str) -> Any:
    """The class that an object was of, for ``pickle.loads``."""
    found = tracked._DYNAMIC_CLASS_TRACKER_BY_ID.get(number) or _named.get((module, name))
    if found is not None:
        return found
    try:
        # In the kernel, and where the class has moved to a module since.
        return attrgetter(name)(sys.modules[module])
    except (KeyError, AttributeError):
        if _shows_unknown.get():
            return type(name, (Unknown,), {})
        raise SessionError(
            f"what is read back holds an object of the class {name}, which was defined in "
            f"{'the notebook' if module == '__main__' else module} and is not known here: define "
            f"it again under this name, and use it in the function that reads"
        ) from None
