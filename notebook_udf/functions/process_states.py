"""State of process functions: declarations, and state held in memory, a set per key.

``states`` has the interfaces. A function has one object per declared state; when the key changes
the object shows the values of the new key, so that a state read once serves all keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pyspark.sql.types import DataType, MapType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.states import (
    InMemoryListState,
    InMemoryMapState,
    InMemoryValueState,
    State,
)
from notebook_udf.types import resolve, unmarked

# Stands for the key where none is current; None may be a key.
NO_KEY: Any = object()

# The contents of one key's declared states, in the order of the declarations.
Contents: TypeAlias = list[dict[str, Any]]

_KINDS: dict[str, type[State]] = {
    "value": InMemoryValueState,
    "list": InMemoryListState,
    "map": InMemoryMapState,
}


@dataclass(frozen=True)
class StateDeclaration:
    """A state that a process function uses: its name, its kind and the type of its values."""

    name: str
    kind: Literal["value", "list", "map"]
    type: DataType


class StateDeclarations:
    """Declares the states of a process function, to be returned by its ``uses_states``.

    Types are ``DataTypes``, Spark types, DDL strings or annotations.

    Notes
    -----
    Source: [FLIP-466][flip-466], where its examples declare state.

    Examples
    --------
    >>> nu.StateDeclarations.value_state("count", int)
    StateDeclaration(name='count', kind='value', type=LongType())
    >>> nu.StateDeclarations.list_state("words", "string").type
    StringType()
    >>> nu.StateDeclarations.map_state("stock", "map<string, bigint>").kind
    'map'
    >>> nu.StateDeclarations.map_state("stock", str, int).type
    MapType(StringType(), LongType(), True)
    """

    @staticmethod
    def value_state(name: str, type: Any) -> StateDeclaration:
        """One value per key, of this type.

        Raises
        ------
        TypeDeclarationError
            If the type is unknown.
        """
        return StateDeclaration(name, "value", _type(type, name))

    @staticmethod
    def list_state(name: str, type: Any) -> StateDeclaration:
        """A list per key; ``type`` is that of an element."""
        return StateDeclaration(name, "list", _type(type, name))

    @staticmethod
    def map_state(name: str, type: Any, value_type: Any = None) -> StateDeclaration:
        """A mapping per key; ``type`` is a MAP, or that of its keys where ``value_type`` is given.

        Raises
        ------
        DeclarationError
            If ``type`` is no MAP and ``value_type`` is not given.
        """
        found = _type(type, name)
        if value_type is not None:
            values = unmarked(resolve(value_type, what=f"the values of the state {name!r}"))
            found = MapType(found, values)
        if not isinstance(found, MapType):
            raise DeclarationError(
                f"the state {name!r} is a mapping: declare it as 'map<string, bigint>', or give "
                f"the type of its keys and that of its values"
            )
        return StateDeclaration(name, "map", found)


def _type(given: Any, name: str) -> DataType:
    return unmarked(resolve(given, what=f"the state {name!r}"))


def checked_states(declared: Any, function: str) -> tuple[StateDeclaration, ...]:
    """What ``uses_states`` returned, checked, in the order of the names.

    Raises
    ------
    DeclarationError
        If an element is no declaration, or two states have one name.
    """
    if isinstance(declared, StateDeclaration):
        declared = [declared]
    try:
        members = iter(declared or ())
    except TypeError:
        members = iter([declared])
    found = list(members)
    seen: dict[str, StateDeclaration] = {}
    for each in found:
        if not isinstance(each, StateDeclaration):
            raise DeclarationError(
                f"{function}.uses_states returned {each!r}: it takes what "
                f"StateDeclarations.value_state, list_state or map_state return"
            )
        if each.name in seen:
            raise DeclarationError(
                f"{function} declares the state {each.name!r} twice: give each a name of its own"
            )
        seen[each.name] = each
    return tuple(seen[name] for name in sorted(seen))


class KeyedStates:
    """The states of one function in one partition of the data.

    Parameters
    ----------
    function
        Its name, for messages.
    keyed
        Whether each key has states of its own; otherwise there is one set.
    keeps
        Whether the states of a key outlive ``switch`` to another.
    """

    def __init__(
        self, function: str, declared: Iterable[StateDeclaration], *, keyed: bool, keeps: bool
    ) -> None:
        self._function = function
        self._declared = {each.name: each for each in declared}
        self._states = {name: _KINDS[each.kind]() for name, each in self._declared.items()}
        self._keyed = keyed
        self._keeps = keeps
        self._kept: dict[Any, Contents] = {}
        self.key: Any = NO_KEY
        # By the identity of the declared objects, which live as long as this does.
        self.known = {id(each): self._states[name] for name, each in self._declared.items()}

    @property
    def keys(self) -> list[Any]:
        """The keys so far, if they are kept."""
        return list(self._kept)

    def find(self, declaration: Any) -> Any:
        """The state of a declaration for the current key.

        Raises
        ------
        DeclarationError
            If it is not declared, or there is no current key.
        """
        if not isinstance(declaration, StateDeclaration):
            raise DeclarationError(
                f"{self._function}: get_state takes a state's declaration, not {declaration!r}"
            )
        if self._declared.get(declaration.name) != declaration:
            known = ", ".join(map(repr, self._declared)) or "none"
            raise DeclarationError(
                f"{self._function}: the {declaration.kind} state {declaration.name!r} is not "
                f"declared (declared: {known}); return it from uses_states()"
            )
        if self._keyed and self.key is NO_KEY:
            raise DeclarationError(
                f"{self._function}: the state {declaration.name!r} belongs to a key, and there is "
                f"none here; use it in what is given to ctx.apply_to_all_partitions"
            )
        return self._states[declaration.name]

    def current_key(self) -> Any:
        """The key whose values the states show.

        Raises
        ------
        DeclarationError
            If there is none.
        """
        if self.key is NO_KEY:
            raise DeclarationError(
                f"{self._function}: there is no current key; give key_by to nu.process"
            )
        return self.key

    def switch(self, key: Any) -> None:
        """Has the states show the values of another key."""
        if not self._keyed:
            return
        if self._keeps and self.key is not NO_KEY:
            self._kept[self.key] = self._shown()
        self.key = key
        kept = self._kept.get(key)
        for place, (name, state) in enumerate(self._states.items()):
            fresh = _KINDS[self._declared[name].kind]
            state.__dict__ = fresh().__dict__ if kept is None else kept[place]

    @property
    def declared(self) -> tuple[StateDeclaration, ...]:
        """The declared states, in the order of their contents."""
        return tuple(self._declared.values())

    def forget(self) -> None:
        """Forgets all keys."""
        self._kept.clear()
        self.key = NO_KEY
        for each, state in zip(self._declared.values(), self._states.values(), strict=True):
            state.__dict__ = _KINDS[each.kind]().__dict__

    def put(self, key: Any, contents: Contents | None) -> None:
        """Sets a key's contents, in the order of the declarations; None for a new key.

        If the states are not by key, all contents are those of ``NO_KEY``.
        """
        if contents is None:
            contents = [_KINDS[each.kind]().__dict__ for each in self._declared.values()]
        if self._keyed:
            self._kept[key] = contents
            return
        for state, content in zip(self._states.values(), contents, strict=True):
            state.__dict__ = content

    def take(self, key: Any) -> Contents:
        """Removes a key's contents and returns them. The key must not be the current one."""
        return self._kept.pop(key) if self._keyed else self._shown()

    def _shown(self) -> Contents:
        return [state.__dict__ for state in self._states.values()]
