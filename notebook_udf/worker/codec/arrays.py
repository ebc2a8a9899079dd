"""Aliases for the numpy arrays that count columns and rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

# Numbers of rows, and which rows.
Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
