"""Methods of a text that follow one another: no text is made between two of them.

``s.upper()[::-1]`` is written as two statements, as any two operations. Once all of a body is
written it is known whether what the first gives is used again; where it is not, both become one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

_VARIABLE = re.compile(r"\bt\d+\b")
_RETURN = re.compile(r"return PyResult\.text\((t\d+)\);")


@dataclass(frozen=True)
class TextStep:
    """What a variable is set to: a text that a method of ``PySteps`` makes of another text.

    Attributes
    ----------
    of
        The Java of the other text.
    call
        That of the call.
    """

    of: str
    call: str


@dataclass(frozen=True)
class _Begun:
    """A text that the next step may go on from: its Java, and where its statements stand."""

    java: str
    places: tuple[int, ...]


def together(steps: Mapping[str, TextStep], lines: list[str]) -> list[str]:
    """The statements with steps that follow one another as one.

    One whose text is used again is left as it is, and so is one with a jump or a loop behind it.
    Of the last one before a result Spark is given the letters: it makes them of a text anyway.
    """
    if not steps:
        return lines
    uses = Counter(name for line in lines for name in _VARIABLE.findall(line))
    made: list[str | None] = []
    begun: dict[str, _Begun] = {}
    for line in lines:
        if "{" in line or "}" in line:
            begun.clear()
        name, _, java = line.partition(" = ")
        step = steps.get(name)
        result = _RETURN.fullmatch(line)
        of = result[1] if result else step.of if step is not None else java.removesuffix(";")
        before = begun.get(of) if uses[of] == 2 else None
        here = len(made)
        if before is not None and (result or step is not None):
            for place in before.places:
                made[place] = None
        if result and before is not None:
            line = f"return {before.java}.sparks();"
        elif step is not None and before is not None:
            java = f"{before.java}.{step.call}"
            line = f"{name} = {java}.text();"
            begun[name] = _Begun(java, (here,))
        elif step is not None:
            begun[name] = _Begun(f"new PySteps({step.of}).{step.call}", (here,))
        elif before is not None:
            # Another name for it.
            begun[name] = _Begun(before.java, (*before.places, here))
        made.append(line)
    return [line for line in made if line is not None]
