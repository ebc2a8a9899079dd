"""Lambda lifting: calls inside higher-order functions, as in ``transform(xs, x -> f(x) + 1)``.

Spark refuses Python functions there. So the function is taken out of the lambda: its hidden variant
gets a list of structs of arguments, one for each element, runs over the elements of all rows in one
pass (``worker.scalar.masked``), and gives a list of results. The lambda is then called on the
elements zipped with their results::

    transform(zip_with(xs, each_f(transform(xs, x -> struct(x))), ...), z -> z.c0 + 1)

``transform``, ``filter``, ``exists`` and ``forall`` are covered, also within a lambda of another of
them. In the lambdas of other functions the order of the calls depends on their results; those are
refused with their name. Calls have their guards by now (``short_circuit``), which become one more
field of the struct.
"""

from __future__ import annotations

import itertools

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of, position, within
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls, entered_argument
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, chosen
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import call as made_call
from notebook_udf.planner.syntax.year_month import leaving
from notebook_udf.specs.element_fields import GUARD_FIELD, NAME_FIELD, PLACE_FIELD
from notebook_udf.specs.roles import Role

_COVERED = ("transform", "filter", "exists", "forall")
_REASON = "Spark refuses Python functions in lambdas"
_DEEPER: dict[Role, Role] = {"scalar": "each", "guarded": "each", "each": "each2"}


class LambdaLifting:
    """Takes calls out of the lambdas of a SELECT."""

    name = "lambda_lifting"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``.

        Raises
        ------
        PlanningError
            For a call in a lambda that it cannot be taken out of, with its place.
        """
        select, calls = scope.select, scope.calls
        found = [
            node
            for node in within(select)
            if isinstance(node, exp.Lambda) and calls.any_in(node.this) and _is_function(node)
        ]
        if not found:
            return None
        called = [call for lambda_ in found for call in calls.inside(lambda_.this)]
        choices = chosen(self, called, calls, _REASON, "each")
        # Inner ones first: what is made of them is called in the lambda around them.
        for lambda_ in sorted(found, key=_depth, reverse=True):
            construct = lambda_.parent
            assert construct is not None
            if not calls.any_in(lambda_.this):
                continue
            construct.replace(_Lifted(construct, lambda_, calls).made())
        return Applied(choices)


def _is_function(lambda_: exp.Lambda) -> bool:
    # The arrow also stands in OPTIONS and in calls by name.
    return isinstance(lambda_.parent, exp.Func)


def _depth(node: exp.Expression) -> int:
    depth: int = node.depth
    return depth


class _Lifted:
    """One higher-order function, with the Python calls of its lambda taken out."""

    def __init__(self, construct: exp.Expression, lambda_: exp.Lambda, calls: ScalarCalls) -> None:
        self._calls = calls
        self._kind = name_of(construct)
        arguments = arguments_of(construct)
        if self._kind not in _COVERED or arguments[1:] != [lambda_]:
            raise _refused(construct, lambda_, calls)
        self._list = arguments[0]
        names = [parameter.name for parameter in lambda_.expressions]
        self._element = names[0]
        self._index = names[1] if len(names) > 1 else None
        self._row = f"_nu_z{_depth(construct)}"
        self._body = _renamed(lambda_.this.copy(), self._element, self._row)
        # The list of results, or the expression itself where it is one for all elements.
        self._results: dict[str, tuple[exp.Expression, bool]] = {}
        self._numbers = itertools.count()

    def made(self) -> exp.Expression:
        """The construct without Python calls in its lambda."""
        while calls := self._innermost():
            made: dict[str, str] = {}
            for call in calls:
                steady = self._calls.steady(call)
                key = canonical(call) if steady else str(id(call))
                if key not in made:
                    made[key] = self._lift(call)
                self._swap(call, _field(self._row, made[key]))
        rows = self._zipped(self._body)
        again = self._lambda(self._row, self._body, indexed=self._kind in ("transform", "filter"))
        found = made_call(self._kind, rows, again)
        if self._kind != "filter":
            return found
        element = self._lambda(self._row, _field(self._row, "x"), indexed=False)
        return made_call("transform", found, element)

    def _innermost(self) -> list[exp.Expression]:
        return [c for c in self._calls.inside(self._body) if len(self._calls.inside(c)) == 1]

    def _swap(self, call: exp.Expression, field: exp.Expression) -> None:
        if call is self._body:
            self._body = field
        else:
            call.replace(field)

    def _lift(self, call: exp.Expression) -> str:
        """Takes a call out; the name of the field that then holds its results."""
        name = f"c{next(self._numbers)}"
        calls = self._calls
        if not self._depends(call):
            self._results[name] = call.copy(), True
            return name
        record, role = calls.record(call), calls.role(call)
        assert record is not None
        if role not in _DEEPER:
            raise PlanningError(
                f"{position(call)}{record.name} stands in a lambda in a lambda in a "
                f"lambda; two are the most: flatten() the inner list first"
            )
        if role == "each":
            arguments = arguments_of(call)[0].copy()
        else:
            fields: list[exp.Expression] = []
            given = [argument.copy() for argument in arguments_of(call)]
            if role == "guarded":
                fields += [exp.Literal.string(GUARD_FIELD), given.pop(0)]
            else:
                given = [entered_argument(record, i, value) for i, value in enumerate(given)]
            for place, value in enumerate(given):
                if isinstance(value, exp.Kwarg):
                    fields += [exp.Literal.string(NAME_FIELD + value.this.name), value.expression]
                else:
                    fields += [exp.Literal.string(f"{PLACE_FIELD}{place}"), value]
            if not fields:
                fields = [exp.Literal.string("none"), exp.Literal.number(0)]
            arguments = made_call("named_struct", *fields)
        elements = self._lambda(self._row, arguments, indexed=True)
        listed = made_call("transform", self._zipped(arguments), elements)
        deeper = calls.hidden(record, _DEEPER[role], [listed])
        deeper.meta.update(call.meta)
        self._results[name] = deeper, False
        field = _field(self._row, name)
        if role == "scalar" and canonical(leaving(record, field)) != canonical(field):
            # The variant's own result is what travels; the query is to see what it stands for.
            converted = leaving(record, exp.column("_nu_r"))
            each = exp.Lambda(this=converted, expressions=[exp.to_identifier("_nu_r")])
            self._results[name] = made_call("transform", deeper, each), False
        return name

    def _depends(self, call: exp.Expression) -> bool:
        """Whether a call has something of the lambda's in it."""
        own = {self._row.lower(), *([self._index.lower()] if self._index else [])}
        return any(isinstance(n, exp.Identifier) and n.name.lower() in own for n in call.walk())

    def _zipped(self, user: exp.Expression) -> exp.Expression:
        """The elements with those results that an expression uses."""
        used = {
            node.expression.name
            for node in user.walk()
            if isinstance(node, exp.Dot) and node.this.name == self._row
        }
        row = made_call("named_struct", exp.Literal.string("x"), exp.to_identifier(self._row))
        wrapped = exp.Lambda(this=row, expressions=[exp.to_identifier(self._row)])
        rows = made_call("transform", self._list.copy(), wrapped)
        fields = ["x"]
        for name, (results, single) in self._results.items():
            if name not in used:
                continue
            listed = results.copy()
            if single:
                listed = made_call("array_repeat", listed, made_call("size", self._list.copy()))
            members: list[exp.Expression] = []
            for field in fields:
                members += [exp.Literal.string(field), _field(self._row, field)]
            members += [exp.Literal.string(name), exp.to_identifier("_nu_r")]
            joined = exp.Lambda(
                this=made_call("named_struct", *members),
                expressions=[exp.to_identifier(self._row), exp.to_identifier("_nu_r")],
            )
            rows = made_call("zip_with", rows, listed, joined)
            fields.append(name)
        return rows

    def _lambda(self, row: str, body: exp.Expression, *, indexed: bool) -> exp.Lambda:
        parameters = [exp.to_identifier(row)]
        if indexed and self._index is not None:
            parameters.append(exp.to_identifier(self._index))
        return exp.Lambda(this=body.copy(), expressions=parameters)


def _refused(construct: exp.Expression, lambda_: exp.Lambda, calls: ScalarCalls) -> PlanningError:
    call = calls.inside(lambda_.this)[0]
    record = calls.record(call)
    name = record.name if record is not None else ""
    around = name_of(construct)
    return PlanningError(
        f"{position(call)}{name} stands in a lambda of {around}, which calls it with "
        f"results of its own: Python functions run in the lambdas of {', '.join(_COVERED)}; or "
        f"write one Python function that takes the whole list"
    )


def _field(row: str, name: str) -> exp.Expression:
    return exp.Dot(this=exp.to_identifier(row), expression=exp.to_identifier(name))


def _renamed(node: exp.Expression, name: str, row: str) -> exp.Expression:
    """The body of a lambda, in which its element is a field of the row."""
    found = _field(row, "x")
    if _is(node, name):
        return found
    for child in list(node.iter_expressions()):
        if isinstance(node, exp.Lambda) and any(_is(p, name) for p in node.expressions):
            break
        if isinstance(node, exp.Dot) and child is node.expression:
            continue
        if isinstance(node, exp.Kwarg) and child is node.this:
            continue
        if _is(child, name):
            child.replace(_field(row, "x"))
        else:
            _renamed(child, name, row)
    return node


def _is(node: exp.Expression, name: str) -> bool:
    return isinstance(node, exp.Identifier) and node.name.lower() == name.lower()
