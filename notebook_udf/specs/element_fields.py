"""The fields of the structs in which calls on elements of lists travel."""

from __future__ import annotations

# Fields of an element's struct: the condition, arguments by place, arguments by name.
GUARD_FIELD = "guard"


PLACE_FIELD = "a"


NAME_FIELD = "n_"
