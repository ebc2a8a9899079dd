"""``nu.session()``: the session of this process, started on first use."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.host.sessions import active_spark, host_of
from notebook_udf.kernel.active_session import activate, active_session, confirm, is_provisional
from notebook_udf.kernel.notebook_session import Session
from notebook_udf.launch.confs import is_local
from notebook_udf.launch.packing import pack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_opening = threading.Lock()


def session(
    spark: SparkSession | None = None,
    *,
    app_name: str | None = None,
    master: str | None = None,
    remote: str | None = None,
    workers: int | None = None,
    worker_memory: str | int | None = None,
    bundle_size: int | None = None,
    bundle_time: Any = None,
    job_parameters: Mapping[str, Any] | None = None,
    conf: Mapping[str, Any] | None = None,
    quarantine_path: str | os.PathLike[str] | None = None,
    ship: bool = False,
    observe: bool = True,
) -> Session:
    """The session of this process, started on first use.

    Parameters
    ----------
    spark
        A running SparkSession to adopt; without it one is started, unless one is active.
    app_name, master, conf
        As for Spark. The default master is ``local[workers]``.
    remote
        Opens a Spark Connect session: ``sc://host:port`` to a server that runs, ``local[N]`` to one
        that is started on this machine.
    workers
        How many workers may run at once. By default the number of processors that this process may
        use, or that in the environment variable ``NOTEBOOK_UDF_WORKERS``.
    worker_memory
        The memory that each worker may allocate, as in ``"1g"``; no limit by default.
    bundle_size
        Rows in a bundle.
    bundle_time
        PyFlink's limit on the age of a bundle. Spark forms bundles by size alone; the session's
        ``notes`` say so if it is given.
    job_parameters
        For ``FunctionContext.get_job_parameter``.
    ship
        Sends the kernel's packages to a cluster whose machines lack them; they need Python of the
        same minor version. Packed once, until a package changes. Has no effect on ``local[…]``.
    quarantine_path
        A place that all workers reach, for rows that functions with ``on_error="quarantine"``
        cannot take: ``s3://…``, ``hdfs://…``, ``file:///…`` or a path. What is there outlives the
        session. By default they go with it: they are in its folder, or, on a cluster whose
        warehouse is set, beside that.
    observe
        Whether functions made by PySpark's own API are watched as the session's are; see
        ``Session.observe``, which changes it later.

    Returns
    -------
    Session
        The one that runs, if there is one.

    Raises
    ------
    DeclarationError
        If an argument is not valid, or contradicts the session that runs.
    SessionError
        If Java or Spark cannot be started.

    Notes
    -----
    A SparkSession is found or made as by PySpark's [getOrCreate][pyspark].

    Examples
    --------
    >>> session = nu.session()
    >>> session is nu.session()
    True
    """
    with _opening:
        running = active_session()
        given = {
            name: value
            for name, value in {
                "app_name": app_name,
                "master": master,
                "remote": remote,
                "workers": workers,
                "worker_memory": worker_memory,
                "bundle_size": bundle_size,
                "conf": conf,
                "quarantine_path": quarantine_path,
                "ship": ship or None,
            }.items()
            if value is not None
        }
        if running is not None and (
            not running.host.is_alive or (given and is_provisional(running))
        ):
            running.stop()
            running = None
        if running is not None:
            confirm(running)
            if spark is not None and not running.host.shares_application(spark):
                raise SessionError("a session with another Spark runs; stop() it first")
            if given:
                print(
                    f"notebook-udf: a session runs already, so {', '.join(given)} had no effect; "
                    f"session.stop() it first",
                    file=sys.stderr,
                )
            for key, value in (job_parameters or {}).items():
                running.set_job_parameter(key, value)
            if not observe:
                running.observe(False)
            return running
        if remote is not None:
            _check_remote(spark=spark, master=master, workers=workers, ship=ship or None)
        elif spark is None:
            spark = active_spark()
        opened = Session(
            spark,
            app_name=app_name,
            master=master,
            workers=workers,
            worker_memory=worker_memory,
            bundle_size=bundle_size,
            bundle_time=bundle_time,
            job_parameters=job_parameters,
            conf=conf,
            quarantine_path=quarantine_path,
            archive=_archive(spark, master) if ship else None,
            remote=remote,
        )
        activate(opened)
        if not observe:
            opened.observe(False)
        return opened


def adopt_created(spark: SparkSession) -> None:
    """Adopts a Spark that others have just created, unless a session runs or is being opened.

    The first call of ``session``, if it asks for anything else, replaces the session by its own.
    """
    if not _opening.acquire(blocking=False):
        return
    try:
        running = active_session()
        if running is not None:
            if running.host.is_alive:
                return
            running.stop()
        activate(Session(spark), provisional=True)
    finally:
        _opening.release()


def _check_remote(**given: Any) -> None:
    """Raises an error if arguments are given that a Spark Connect server has already."""
    others = [name for name, value in given.items() if value is not None]
    if others:
        raise DeclarationError(
            f"remote cannot be given together with {', '.join(others)}: the server has its own "
            f"master, workers and Python; this package goes there by itself"
        )


def _archive(spark: SparkSession | None, master: str | None) -> Path | None:
    """The kernel's environment for a cluster; None on this machine, where workers have it."""
    host = host_of(spark) if spark is not None else None
    if is_local(host.cluster.master if host is not None else master or "local[*]"):
        return None
    if host is not None and host.frames.frame_class is not None:
        raise SessionError(
            "ship=True sets the workers' Python, which a Spark Connect server has set already: "
            "this package goes there by itself; start the server with a PYSPARK_PYTHON that has "
            "the others"
        )
    return pack(lambda text: print(f"notebook-udf: {text}", file=sys.stderr))
