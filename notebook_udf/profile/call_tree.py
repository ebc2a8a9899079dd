"""Turns stacks into a tree of calls, and the tree into the boxes of a flame graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from notebook_udf.profile.sample_counts import Stack
from notebook_udf.telemetry.records import StackFrame

# The width below which a screen cannot tell boxes apart: a five-hundredth of the whole.
NARROWEST = 0.002
MOST_BOXES = 1_500
DEEPEST = 60


@dataclass
class Node:
    """A node of the call tree: a frame, or a registered function, whose ``frame`` is None."""

    name: str
    frame: StackFrame | None
    seconds: float = 0.0
    samples: int = 0
    children: dict[object, Node] = field(default_factory=dict)

    def largest_first(self) -> list[Node]:
        """The children, by decreasing time."""
        return sorted(self.children.values(), key=lambda child: child.seconds, reverse=True)


def tree_of(stacks: Iterable[Stack]) -> Node:
    """The call tree: below the root the functions, below each the frames of its stacks."""
    root = Node("all", None)
    for stack in stacks:
        node = root
        _count(node, stack)
        keys: list[tuple[object, str, StackFrame | None]] = [(stack.function, stack.function, None)]
        keys += [(frame, frame.name, frame) for frame in stack.frames]
        for key, name, frame in keys:
            node = node.children.setdefault(key, Node(name, frame))
            _count(node, stack)
    return root


def _count(node: Node, stack: Stack) -> None:
    node.seconds += stack.seconds
    node.samples += stack.samples


@dataclass(frozen=True)
class Box:
    """A node with its position: its depth, and its left edge and width as parts of the whole."""

    node: Node
    depth: int
    left: float
    width: float


def boxes(root: Node) -> tuple[list[Box], int]:
    """The boxes of a flame graph, callers above what they call, and the number of those left out.

    Boxes that are too narrow, too deep or too many are left out.
    """
    found: list[Box] = []
    hidden = 0
    row = list(_beside(root, 0.0, root.seconds, 0))
    while row:
        below: list[Box] = []
        for box in row:
            # A row is finished before the next begins: what is deep is left out first.
            if box.width < NARROWEST or box.depth >= DEEPEST or len(found) >= MOST_BOXES:
                hidden += 1
                continue
            found.append(box)
            below += _beside(box.node, box.left, root.seconds, box.depth + 1)
        row = below
    return found, hidden


def _beside(node: Node, left: float, whole: float, depth: int) -> Iterator[Box]:
    for child in node.largest_first():
        width = child.seconds / whole if whole > 0 else 0.0
        yield Box(child, depth, left, width)
        left += width
