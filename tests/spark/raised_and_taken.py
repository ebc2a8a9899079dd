"""Functions with ``assert``, which pytest writes anew in the modules of tests."""

from __future__ import annotations


class TooBig(Exception):
    """Of the user's, of none that it knows."""


def several(x: int) -> str:
    try:
        if x > 5:
            raise KeyError(x)
        if x > 3:
            raise TooBig
        if x > 1:
            raise RuntimeError("no" * x) from None
        assert x > 0, "not positive"
    except (TooBig, KeyError) as error:
        return "A" + str(error)
    except AssertionError as error:
        return f"B{error}"
    except Exception as error:
        return "C" + str(error)
    return "fine"
