"""Objects that display themselves as text, HTML and for ``rich``, made from the same blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from notebook_udf.render.markup import Element, Tag, div, markup
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import plain

if TYPE_CHECKING:
    from rich.console import Group, RenderableType


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str
    tag: Tag = div

    @property
    def html(self) -> Element:
        """The paragraph as an HTML element."""
        return self.tag(self.text)

    @property
    def rich(self) -> RenderableType:
        """The paragraph for ``rich``, which would read square brackets in a str as markup."""
        from rich.text import Text

        return Text(plain(self.text))


Block: TypeAlias = Table | Paragraph


class Displayed:
    """Base of objects that display themselves in a console, a colour terminal and a notebook."""

    _between: ClassVar[str] = "\n"

    def _blocks(self) -> Iterable[Block]:
        """The displayed blocks, from top to bottom."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return plain(self._between.join(block.text for block in self._blocks()))

    def __rich__(self) -> Group:
        from rich.console import Group

        return Group(*(block.rich for block in self._blocks()))

    def _repr_html_(self) -> str:
        return markup(block.html for block in self._blocks())
