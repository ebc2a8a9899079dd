"""The Java of one body while it is written: its statements and its variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from notebook_udf.compile.java.values import (
    Constant,
    Integers,
    Kinds,
    NotCompiled,
    Term,
    Value,
)

_EMPTY = {"long": "0L", "double": "0.0", "boolean": "false"}


@dataclass
class Constants:
    """Objects that a class makes once, by how they are made: their Java types and names."""

    made: dict[str, tuple[str, str]] = field(default_factory=dict)

    def name(self, held: str, java: str) -> str:
        """The field that holds what an expression makes."""
        return self.made.setdefault(java, (held, f"C{len(self.made)}"))[1]


@dataclass
class Code:
    """Statements of a body, and the variables that they set."""

    integers: Integers
    constants: Constants
    variables: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)

    def say(self, statement: str) -> None:
        """Adds a statement."""
        self.statements.append(statement)

    def variable(self, held: str) -> str:
        """A new variable of a Java type."""
        name = f"t{len(self.variables)}"
        self.variables[name] = held
        return name

    def fresh(self, kinds: Kinds) -> Term:
        """A value in a new variable, which is yet to be set."""
        return Term(kinds, self.variable(self.integers.held(kinds)))

    def set(self, kinds: Kinds, java: str) -> Term:
        """A value in a new variable: what an expression gives, as Java holds these kinds."""
        made = self.fresh(kinds)
        self.say(f"{made.java} = {java};")
        return made

    def set_from(self, kinds: Kinds, java: str) -> Term:
        """As ``set``, of an expression that gives an object."""
        if not kinds:
            raise NotCompiled("what raises in every row")
        return self.set(kinds, self.integers.narrowed(Term(frozenset("?"), java), kinds).java)

    def term(self, value: Value) -> Term:
        """A value as a single one that Java has."""
        if isinstance(value, Term):
            return value
        if isinstance(value, Constant):
            return self.integers.literal(value.value)
        raise NotCompiled(f"a {type(value).__name__.lower()} as a value")

    def present(self, value: Value) -> Term:
        """A value that Python goes on with only if it is not None."""
        term = self.term(value)
        if "none" not in term.kinds:
            return term
        if len(term.kinds) == 1:
            raise NotCompiled("what raises in every row")
        self.say(f"if ({term.java} == null) throw Raised.RAISED;")
        return self.integers.narrowed(term, term.kinds - {"none"})

    def object(self, value: Value) -> str:
        """A value as an object."""
        return self.integers.converted(self.term(value), frozenset("?"))

    def constant(self, held: str, java: str) -> str:
        """An object of a Java type that is made once."""
        return self.constants.name(held, java)

    def declared(self) -> list[str]:
        """The statements that declare the variables."""
        return [
            f"{held} {name} = {_EMPTY.get(held, 'null')};" for name, held in self.variables.items()
        ]


def is_constant(value: Value, *kinds: type[Any]) -> bool:
    """Whether a value is a constant of exactly one of some types."""
    return isinstance(value, Constant) and type(value.value) in kinds
