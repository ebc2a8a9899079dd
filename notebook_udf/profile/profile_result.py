"""The result of a profile as data: stacks, lines, functions; and its displayed forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.profile.call_tree import Node, tree_of
from notebook_udf.profile.sample_counts import Stack
from notebook_udf.render.markup import markup

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Group

_MOST_TOLD = 2_000


@dataclass(frozen=True)
class Line:
    """The time of a line of the user's code.

    Attributes
    ----------
    file, title, line, text
        The file as in tracebacks and in words, the number of the line and its text.
    function
        The Python function or method it is in.
    seconds
        Spent in it and in the libraries it calls, but not in other lines of the user's.
    total
        Spent in it and in all that it calls.
    share
        ``seconds`` as a part of the profile's ``busy`` time.
    """

    file: str
    title: str
    line: int
    text: str
    function: str
    seconds: float
    total: float
    share: float


@dataclass(frozen=True)
class Share:
    """The time of a registered function: in the user's code, and by kind of work of ours."""

    function: str
    seconds: float
    share: float
    user: float
    ours: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Profile:
    """Where the time of functions went, by samples of their workers. Displays as a flame graph.

    Seconds add up over workers: two that work for a second each are two seconds.

    Attributes
    ----------
    stacks
        The sampled stacks with their times, the longest first.
    seconds
        The duration of the profile, by the clock.
    workers
        Process ids of the workers that ran functions.
    dropped
        The number of samples of stacks that were too many to keep.
    notes
        Remarks, such as about functions that have no lines.
    texts, titles
        Lines of the files that stacks go through, and the files' names in words.
    """

    stacks: tuple[Stack, ...]
    seconds: float
    workers: tuple[int, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def working(self) -> tuple[Stack, ...]:
        """The stacks that do not wait for rows."""
        return tuple(stack for stack in self.stacks if not stack.waits)

    @cached_property
    def busy(self) -> float:
        """Seconds in which functions did not wait for rows."""
        return sum(stack.seconds for stack in self.working)

    @property
    def waited(self) -> float:
        """Seconds in which functions waited for rows."""
        return sum(stack.seconds for stack in self.stacks) - self.busy

    @property
    def samples(self) -> int:
        """The number of samples that did not wait for rows."""
        return sum(stack.samples for stack in self.working)

    @cached_property
    def tree(self) -> Node:
        """The calls as a tree."""
        return tree_of(self.working)

    @cached_property
    def functions(self) -> tuple[Share, ...]:
        """The time of each registered function, the slowest first."""
        found = []
        for node in self.tree.largest_first():
            ours = {
                c.name: c.seconds for c in node.children.values() if c.frame and not c.frame.file
            }
            user = node.seconds - sum(ours.values())
            found.append(Share(node.name, node.seconds, self._part(node.seconds), user, ours))
        return tuple(found)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The time of each line of the user's code, the slowest first."""
        own: dict[tuple[str, int], float] = {}
        total: dict[tuple[str, int], float] = {}
        names: dict[tuple[str, int], str] = {}
        for stack in self.working:
            places = [(f.file, f.line) for f in stack.frames if f.file and not f.library]
            names.update({(f.file, f.line): f.name for f in stack.frames})
            for place in set(places):
                total[place] = total.get(place, 0.0) + stack.seconds
            if places:
                own[places[-1]] = own.get(places[-1], 0.0) + stack.seconds
        lines = [
            Line(
                file,
                self.titles.get(file, file),
                line,
                self._text(file, line),
                names[file, line],
                own.get((file, line), 0.0),
                seconds,
                self._part(own.get((file, line), 0.0)),
            )
            for (file, line), seconds in total.items()
        ]
        return tuple(sorted(lines, key=lambda line: (-line.seconds, -line.total)))

    def _part(self, seconds: float) -> float:
        return seconds / self.busy if self.busy > 0 else 0.0

    def _text(self, file: str, line: int) -> str:
        texts = self.texts.get(file, ())
        return texts[line - 1].rstrip("\n") if 0 < line <= len(texts) else ""

    # Forms -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The profile as JSON-able data.

        Returns
        -------
        dict
            ``seconds``, ``busy``, ``waited``, ``samples``, ``workers``, ``dropped``, ``notes``,
            ``functions`` (fields of ``Share``), ``lines`` (fields of ``Line``) and ``stacks``
            (``function``, ``samples``, ``seconds``, ``frames`` with file, name, line and whether
            it is a library's, outermost first); of ``lines`` and ``stacks`` the 2,000 slowest.
        """
        return {
            "seconds": self.seconds,
            "busy": self.busy,
            "waited": self.waited,
            "samples": self.samples,
            "workers": list(self.workers),
            "dropped": self.dropped,
            "notes": list(self.notes),
            "functions": [{**vars(each), "ours": dict(each.ours)} for each in self.functions],
            "lines": [asdict(line) for line in self.lines[:_MOST_TOLD]],
            "stacks": [asdict(stack) for stack in self.working[:_MOST_TOLD]],
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row per line of the user's code, the slowest first."""
        import pandas as pd

        columns = list(Line.__dataclass_fields__)
        return pd.DataFrame([asdict(line) for line in self.lines], columns=columns)

    def to_svg(self) -> str:
        """The flame graph as a standalone SVG."""
        from notebook_udf.profile.flame import flame_svg

        return markup(flame_svg(self))

    def save(self, path: str | Path) -> Path:
        """Writes a standalone page with flame graph and source; returns its path."""
        from notebook_udf.profile.profile_renderer import as_page

        target = Path(path)
        target.write_text(as_page(self), encoding="utf-8")
        return target

    def __repr__(self) -> str:
        from notebook_udf.profile.profile_renderer import as_text

        return as_text(self)

    def __rich__(self) -> Group:
        from notebook_udf.profile.profile_renderer import as_rich

        return as_rich(self)

    def _repr_html_(self) -> str:
        from notebook_udf.profile.profile_renderer import as_html

        return as_html(self)
