"""Lists and dicts of constants, which Python makes in several instructions where they are long."""

from __future__ import annotations

from notebook_udf.compile.flow_graph import Evaluation

# Of a list whose constants are known one by one. Longer ones are data.
_MOST = 64


def displayed_constants(
    how: str, whole: Evaluation, given: tuple[Evaluation, ...], made: list[Evaluation]
) -> tuple[Evaluation, ...]:
    """What a list or a dict has once it has grown, where that is nothing but constants.

    Nothing, if it is another one, or was not being made until now; else it is taken out of what was
    ``made``, for the whole to come in its place.
    """
    parts = [whole, *given] if how == "dict_update" else [whole]
    begun = len(made) - len(parts)
    if begun < 0 or made[begun:] != parts:
        return ()
    constants: tuple[Evaluation, ...] = ()
    match whole.kind, how, given[0].kind:
        case "map", "map_add", _:
            constants = (*whole.operands, *given)
        case "map", "dict_update", "map":
            constants = (*whole.operands, *given[0].operands)
        case "list", "list_extend", "constant":
            few = given[0].detail
            if not whole.operands and type(few) is tuple and len(few) <= _MOST:
                constants = tuple(Evaluation("constant", (), each, given[0].line) for each in few)
    if not constants or not all(each.kind == "constant" for each in constants):
        return ()
    del made[begun:]
    return constants
