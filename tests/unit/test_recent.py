"""What was made lately is kept, and the rest made again."""

from __future__ import annotations

from notebook_udf.kernel.recent import Recent


def test_what_has_not_been_asked_for_longest_goes() -> None:
    made: list[str] = []

    def get(key: str) -> str:
        return recent.get((key,), lambda: made.append(key) or key.upper())

    recent: Recent[str] = Recent(2)
    assert [get(key) for key in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


def test_what_is_forgotten_is_made_again() -> None:
    recent: Recent[int] = Recent(5)
    assert recent.get(("a", 1), lambda: 1) == 1
    assert recent.get(("b", 1), lambda: 2) == 2
    recent.forget(lambda key: bool(key[0] == "a"))
    assert recent.get(("a", 1), lambda: 3) == 3
    assert recent.get(("b", 1), lambda: 4) == 2
