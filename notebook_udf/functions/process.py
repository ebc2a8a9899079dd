"""Process functions: one record in, any number out, with state; and their attributes.

``worker`` runs them, the planner chains them.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pyspark.sql.types import ArrayType, StructField, StructType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.kind_traits import PROCESS
from notebook_udf.functions.metrics import MetricGroup
from notebook_udf.functions.process_states import KeyedStates, StateDeclaration

IN = TypeVar("IN")
OUT = TypeVar("OUT")
C = TypeVar("C", bound=type)


class Collector(Generic[OUT]):
    """Takes the records that a process function emits: ``output.collect(record)``.

    Examples
    --------
    >>> collected = []
    >>> output = nu.Collector(collected.append)
    >>> output.collect(1)
    >>> collected
    [1]
    """

    __slots__ = ("__orig_class__", "collect")

    collect: Callable[[OUT], None]

    def __init__(self, collect: Callable[[OUT], None]) -> None:
        # An attribute and not a method: most records are collected by a method of a list.
        self.collect = collect


class _Context:
    """Base of both contexts: states, metrics, job parameters, a logger."""

    def __init__(self, function_context: FunctionContext, states: KeyedStates) -> None:
        self._function_context = function_context
        self._states = states

    def get_state(self, declaration: StateDeclaration) -> Any:
        """The ``ValueState``, ``ListState`` or ``MapState`` that was declared.

        Raises
        ------
        DeclarationError
            If ``uses_states`` does not return it, or it belongs to a key and none is current.
        """
        return self._states.find(declaration)

    def get_state_manager(self) -> Any:
        """This context, which has the ``get_state`` of the state manager in FLIP-466."""
        return self

    def get_metric_group(self) -> MetricGroup:
        """The root of this function's metrics."""
        return self._function_context.get_metric_group()

    def get_job_parameter(self, key: str, default_value: Any = None) -> Any:
        """The session's job parameter of that name as text, or ``default_value``."""
        return self._function_context.get_job_parameter(key, default_value)

    def get_logger(self) -> logging.Logger:
        """A logger whose lines reach the notebook with level, row and worker."""
        return self._function_context.get_logger()


class RuntimeContext(_Context):
    """The context of ``process_record``: state of the current key, metrics, job parameters.

    Examples
    --------
    >>> COUNT = nu.StateDeclarations.value_state("count", int)
    >>> class Counted(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [COUNT]
    ...
    ...     def open(self, function_context):
    ...         self.step = int(function_context.get_job_parameter("step", "1"))
    ...
    ...     def process_record(self, record: str, output: nu.Collector[str], ctx):
    ...         count = ctx.get_state(COUNT)
    ...         count.update((count.value() or 0) + self.step)
    ...         ctx.get_metric_group().counter("records").inc()
    ...         ctx.get_logger().debug("another %s", record)
    ...         output.collect(f"{ctx.get_current_key()}: {count.value()}")
    >>> counted = session.register_function("counted", Counted)
    >>> counted.eval(["Ann", "Bo", "Al"], key_by=lambda record: record[0])
    ['A: 1', 'B: 1', 'A: 2']
    """

    def get_state(self, declaration: StateDeclaration) -> Any:
        # Asked for every record: the declared objects are known by identity.
        return self._states.known.get(id(declaration)) or self._states.find(declaration)

    def get_current_key(self) -> Any:
        """The key of the record: a value, or a tuple where there are several key columns.

        Raises
        ------
        DeclarationError
            If the records have no key.
        """
        return self._states.current_key()


class NonPartitionedContext(_Context):
    """The context of ``end_input``, where no key is current.

    Examples
    --------
    >>> COUNT = nu.StateDeclarations.value_state("count", int)
    >>> class Counts(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [COUNT]
    ...
    ...     def process_record(self, record: str, output: nu.Collector[str], ctx):
    ...         count = ctx.get_state(COUNT)
    ...         count.update((count.value() or 0) + 1)
    ...
    ...     def end_input(self, ctx):
    ...         def tell(output, of_key):
    ...             count = of_key.get_state_manager().get_state(COUNT)
    ...             output.collect(f"{of_key.get_current_key()}: {count.value()}")
    ...
    ...         ctx.apply_to_all_partitions(tell)
    >>> counts = session.register_function("counts", Counts)
    >>> counts.eval(["a", "b", "a"], key_by=lambda record: record)
    ['a: 2', 'b: 1']
    """

    def __init__(
        self,
        function_context: FunctionContext,
        states: KeyedStates,
        apply: Callable[[Callable[[Collector[Any], RuntimeContext], Any]], None],
    ) -> None:
        super().__init__(function_context, states)
        self._apply = apply

    def apply_to_all_partitions(
        self, function: Callable[[Collector[Any], RuntimeContext], Any]
    ) -> None:
        """Calls ``function(collector, context)`` for every key so far, with its state; once if
        the records have no key."""
        self._apply(function)


class OneInputStreamProcessFunction(UserDefinedFunction, Generic[IN, OUT]):
    """Takes records one by one, and collects any number of records for each.

    A record is a ``Row`` that can be changed, however many columns there are. Annotated with a
    dataclass, a NamedTuple or ``dict``, it is one of those. It is the bare value of the only column
    if it is annotated with a type of values (``record: float``). Without an annotation it is the
    bare value, if a process function before has collected bare values.

    Notes
    -----
    Source: [FLIP-466][flip-466], whose examples have these names.

    Examples
    --------
    >>> COUNT = nu.StateDeclarations.value_state("count", int)
    >>> class Counted(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [COUNT]
    ...
    ...     def process_record(self, record: str, output: nu.Collector[int], ctx):
    ...         count = ctx.get_state(COUNT)
    ...         count.update((count.value() or 0) + 1)
    ...         output.collect(count.value())
    ...
    ...     def end_input(self, ctx):
    ...         ctx.get_logger().info("that was the last record")
    >>> counted = session.register_function("counted", Counted)
    >>> counted.eval(["a", "b", "a"], key_by=lambda record: record)
    [1, 1, 2]
    """

    function_kind = PROCESS

    @abstractmethod
    def process_record(self, record: Any, output: Collector[Any], ctx: RuntimeContext) -> None:
        """Takes one record. Those of one key come in the order of the input."""

    def end_input(self, ctx: NonPartitionedContext) -> None:
        """Called once after the last record, where the input has an end."""

    def uses_states(self) -> Collection[StateDeclaration]:
        """The states it asks its contexts for."""
        return ()


def ends(function: Any) -> bool:
    """Whether a process function has an ``end_input`` of its own."""
    return type(function).end_input is not OneInputStreamProcessFunction.end_input


@dataclass(frozen=True)
class Attributes:
    """What a process function promises about its output and its records.

    Attributes
    ----------
    no_output_until_end_of_input
        It collects nothing that is needed before its input has ended.
    idempotence
        Each output replaces all before it of the same key.
    not_cache_record
        It keeps no record beyond the call, neither one it was given nor one it has collected.
    """

    no_output_until_end_of_input: bool = False
    idempotence: bool = False
    not_cache_record: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes that are set."""
        return tuple(name for name, value in vars(self).items() if value)


@dataclass(frozen=True)
class ProcessTraits:
    """What only process functions have.

    Attributes
    ----------
    attributes
        As the class is decorated.
    states
        What ``uses_states`` returns.
    record
        The annotation of its records; None where there is none.
    """

    attributes: Attributes = Attributes()
    states: tuple[StateDeclaration, ...] = ()
    record: Any = field(default=None, compare=False)

    @property
    def state_type(self) -> StructType | None:
        """The states of one key as a struct; None if there are none."""
        fields = [
            StructField(each.name, ArrayType(each.type) if each.kind == "list" else each.type)
            for each in self.states
        ]
        return StructType(fields) if fields else None


_ATTRIBUTES = "__process_attributes__"


def attributes_of(function: Any) -> Attributes:
    """The attributes of a class or instance; those of a base class do not count for it."""
    cls = function if isinstance(function, type) else type(function)
    found = vars(cls).get(_ATTRIBUTES)
    return found if isinstance(found, Attributes) else Attributes()


def keep_attributes(cls: type, derived: type) -> None:
    """Copies the attributes of a class to the one derived in its place."""
    if _ATTRIBUTES in vars(cls):
        setattr(derived, _ATTRIBUTES, attributes_of(cls))


def no_output_until_end_of_input(cls: C) -> C:
    """Declares that a process function has no output before its input has ended.

    Functions behind it in a chain are opened only then. What it collects earlier is delivered
    then as well. On a source without an end it is refused.

    Parameters
    ----------
    cls
        A class derived from ``OneInputStreamProcessFunction``, or with its ``process_record``.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    DeclarationError
        If it stands on anything else.

    Notes
    -----
    Source: [FLIP-466][flip-466], which declares it by a Java annotation.

    Examples
    --------
    >>> @nu.no_output_until_end_of_input
    ... class Largest(nu.OneInputStreamProcessFunction):
    ...     largest = 0
    ...
    ...     def process_record(self, record, output: nu.Collector[int], ctx):
    ...         self.largest = max(self.largest, record.id)
    ...         self.output = output
    ...
    ...     def end_input(self, ctx):
    ...         self.output.collect(self.largest)
    >>> spark.range(4).coalesce(1).transform(nu.process(Largest)).collect()
    [Row(value=3)]
    """
    return _with(cls, no_output_until_end_of_input=True)


def idempotence(cls: C) -> C:
    """Declares that each output of a process function is the final result at its time.

    Of the outputs of a key in a bundle only the last one is passed on.

    Parameters
    ----------
    cls
        A class derived from ``OneInputStreamProcessFunction``, or with its ``process_record``.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    DeclarationError
        If it stands on anything else.

    Notes
    -----
    Source: [FLIP-466][flip-466], which declares it by a Java annotation.

    Examples
    --------
    >>> @nu.idempotence
    ... class Latest(nu.OneInputStreamProcessFunction):
    ...     def process_record(self, record, output: nu.Collector[int], ctx):
    ...         output.collect(record.id)
    >>> rows = spark.range(4).withColumn("key", F.lit(1)).coalesce(1)
    >>> latest = rows.transform(nu.process(Latest, key_by="key")).collect()
    >>> latest[-1]
    Row(value=3)
    """
    return _with(cls, idempotence=True)


def not_cache_record(cls: C) -> C:
    """Declares that a process function keeps no record, whether of its input or of its output.

    Between two such functions of a chain records are passed on without a copy.

    Parameters
    ----------
    cls
        A class derived from ``OneInputStreamProcessFunction``, or with its ``process_record``.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    DeclarationError
        If it stands on anything else.

    Notes
    -----
    Source: [FLIP-466][flip-466], which declares it by a Java annotation.

    Examples
    --------
    >>> @nu.not_cache_record
    ... class PassedOn(nu.OneInputStreamProcessFunction):
    ...     def process_record(self, record, output: nu.Collector[int], ctx):
    ...         output.collect(record.id)
    >>> spark.range(3).transform(nu.process(PassedOn)).count()
    3
    """
    return _with(cls, not_cache_record=True)


def _with(cls: C, **attribute: bool) -> C:
    if not (isinstance(cls, type) and callable(getattr(cls, "process_record", None))):
        (name,) = attribute
        raise DeclarationError(
            f"@{name} stands on a class derived from OneInputStreamProcessFunction, or with its "
            f"process_record, not on {cls!r}"
        )
    setattr(cls, _ATTRIBUTES, replace(attributes_of(cls), **attribute))
    return cls
