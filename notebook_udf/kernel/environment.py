"""``session.environment``: the packages of the kernel, for clusters whose machines lack them."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path

from notebook_udf.launch import packing


class Environment:
    """The kernel's Python and its packages."""

    def pack(self) -> Path:
        """Packs the packages, and returns the archive; ``ship=True`` sends the same one.

        It is written once for each state of the packages, below ``~/.cache/notebook-udf``, and says
        so while it takes long. A Spark started elsewhere takes it with
        ``--archives <path>#environment`` and ``PYSPARK_PYTHON=./environment/bin/python``.

        Raises
        ------
        SessionError
            If it cannot be written.
        """
        return packing.pack(print)

    def __repr__(self) -> str:
        count = sum(1 for _ in importlib.metadata.distributions())
        return (
            f"Python {platform.python_version()} in {sys.prefix} with {count} packages\n"
            f"pack() makes the archive that ship=True sends to a cluster"
        )
