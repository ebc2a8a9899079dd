"""Methods of a text that follow one another: no text is made between two of them, and no list of
which one part is taken.

``s.upper()[::-1]`` is written as two statements, as any two operations are. Once all of a body is
written it is known whether what the first gives is used again; where it is not, both become one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\bt\d+\b")
_RETURN = re.compile(r"return PyResult\.text\((t\d+)\);$")


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
class SplitPart:
    """What a variable is set to: one part of a list that ``split`` makes, or how many it has.

    Attributes
    ----------
    of
        The Java of the list.
    java
        What gives the same without the list.
    """

    of: str
    java: str


@dataclass
class TextSteps:
    """The variables of a body that are set to such; ``splits`` has what ``split`` is given."""

    methods: dict[str, TextStep] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    parts: dict[str, SplitPart] = field(default_factory=dict)

    def begin(self) -> None:
        """Begins again: nothing is written yet."""
        self.methods.clear()
        self.splits.clear()
        self.parts.clear()

    def note(self, java: str, variable: str) -> None:
        """Notes that a variable is set to what an expression gives, maybe a list of ``split``."""
        if java in self.splits:
            self.splits[variable] = self.splits[java]


@dataclass(frozen=True)
class _Begun:
    """What the next step may go on from: its Java, and where its statements stand."""

    java: str
    places: tuple[int, ...]


def together(steps: TextSteps, lines: list[str]) -> list[str]:
    """The statements with steps that follow one another as one.

    One whose value is used again is left as it is, and so is one with a jump or a loop behind it.
    Of the last one before a result Spark is given the letters: it makes them of a text anyway.
    """
    if not (steps.methods or steps.parts):
        return lines
    uses = Counter(name for line in lines for name in _VARIABLE.findall(line))
    made: list[str | None] = []
    begun: dict[str, _Begun] = {}
    for line in lines:
        if "{" in line or "}" in line:
            begun.clear()
        name, _, java = line.partition(" = ")
        step, part, result = steps.methods.get(name), steps.parts.get(name), _RETURN.match(line)
        known = step or part
        of = result[1] if result else known.of if known else java.removesuffix(";")
        before = begun.get(of) if uses[of] == 2 else None
        places = (len(made),)
        if before is not None and (result or known):
            for place in before.places:
                made[place] = None
        if result and before is not None:
            line = f"return {before.java}.sparks();"
        elif part is not None and before is not None:
            line = f"{name} = {part.java};"
        elif step is not None and before is not None:
            line = f"{name} = {before.java}.{step.call}.text();"
            begun[name] = _Begun(f"{before.java}.{step.call}", places)
        elif step is not None:
            begun[name] = _Begun(f"new PySteps({step.of}).{step.call}", places)
        elif before is not None:
            # Another name for it.
            begun[name] = _Begun(before.java, (*before.places, *places))
        elif java.startswith("PyText.split("):
            begun[name] = _Begun("", places)
        made.append(line)
    return [line for line in made if line is not None]
