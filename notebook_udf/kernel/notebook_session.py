"""``Session``: the object behind ``nu.session()``.

It makes the parts, and starts and stops them; each part does its own work: ``launch`` Spark,
``telemetry`` the side channel, ``pool`` the workers, ``planner`` the calls, ``translation`` the
errors.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from notebook_udf.errors import SessionError
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.options import FunctionOptions, parse_memory
from notebook_udf.host.call_failures import answered
from notebook_udf.host.changes import Changes
from notebook_udf.host.host import Host
from notebook_udf.host.sessions import host_of
from notebook_udf.kernel import arguments
from notebook_udf.kernel.actions import SessionActions
from notebook_udf.kernel.cell_names import CellNames
from notebook_udf.kernel.cluster_check import ClusterCheck, check
from notebook_udf.kernel.debugging import Debugging
from notebook_udf.kernel.declaring import declared
from notebook_udf.kernel.dropping import SqlDrops, drop
from notebook_udf.kernel.folder import make_folder, remove_folder
from notebook_udf.kernel.function_names import check_name, session_functions_first
from notebook_udf.kernel.hidden import HiddenFunctions
from notebook_udf.kernel.java_calls import JavaCalls
from notebook_udf.kernel.job_parameters import WithJobParameters
from notebook_udf.kernel.kept_tables import kept_tables
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.measure.measurements import Measuring
from notebook_udf.kernel.observation import WithObservation
from notebook_udf.kernel.open_spark import abandon, open_spark
from notebook_udf.kernel.owner import Owner
from notebook_udf.kernel.planning import plan_of
from notebook_udf.kernel.quarantine_folder import QuarantineFolder, given_folder
from notebook_udf.kernel.querying import Rewriting, run_query
from notebook_udf.kernel.recent import Recent
from notebook_udf.kernel.requirements import WithDependencies
from notebook_udf.kernel.session_watchers import tell_ending
from notebook_udf.kernel.spark_loggers import QuietLoggers
from notebook_udf.kernel.steady_queries import SteadyQueries
from notebook_udf.kernel.streams.session_streams import Streams
from notebook_udf.kernel.task_ends import TaskEnds
from notebook_udf.kernel.translation import Translator
from notebook_udf.kernel.warm import Warmup
from notebook_udf.kernel.worker_environment import worker_environment
from notebook_udf.launch.warehouse import Warehouse
from notebook_udf.pool.spark_worker import LOG_LEVEL_CONF
from notebook_udf.pool.view import Pool
from notebook_udf.registry import RegisteredFunction, Registry
from notebook_udf.render.format import counted
from notebook_udf.specs.roles import Role
from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.store.log_store import LogChoice
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.user_views import LogView, MetricsView
from notebook_udf.widgets.explorer import PlanExplorer
from notebook_udf.widgets.shown import end_panels, show_live

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger(__name__)

# How long a look at metrics or lines waits for records that have come and are not read yet. Lines
# may come without end.
_SECONDS_TO_CATCH_UP = 2.0
_SECONDS_FOR_LINES = 0.5


class Session(Streams, Measuring, WithDependencies, WithJobParameters, WithObservation, Debugging):
    """A Spark session with managed workers. Made by ``session()``, one per process.

    Attributes
    ----------
    spark, host
        The SparkSession, and what is asked of it beyond its public interface.
    pool
        The workers.
    dependencies
        What was added for functions to import.
    folder
        Sockets and logs of this session; private, removed by ``stop``.
    changes
        What was changed on Spark.
    quarantine
        Where rows are put that functions cannot take.
    hidden
        Functions in Spark SQL that only rewritten queries call.
    rewritten
        How queries were rewritten for Spark, by their DataFrames.
    live
        Whether queries of a notebook's cells show their progress. True until it is set.
    warehouse
        Where managed tables are kept, for the next session in this folder as well; None on a Spark
        that was adopted, and where Spark has another warehouse by its conf.
    notes
        What differs from what one may expect, as texts: what could not be set on a Spark that was
        adopted, tables that could not be restored.

    Examples
    --------
    >>> session = nu.session()
    >>> session.spark is spark
    True
    """

    def __init__(
        self,
        spark: SparkSession | None,
        *,
        app_name: str | None = None,
        master: str | None = None,
        workers: int | None = None,
        worker_memory: str | int | None = None,
        bundle_size: int | None = None,
        bundle_time: Any = None,
        job_parameters: Mapping[str, Any] | None = None,
        conf: Mapping[str, Any] | None = None,
        quarantine_path: str | os.PathLike[str] | None = None,
        archive: Path | None = None,
        remote: str | None = None,
    ) -> None:
        limit = worker_memory
        memory = None if limit is None else parse_memory(limit, what="worker_memory")
        size = arguments.number_of_workers(master, workers)
        rows = arguments.bundle_size(bundle_size)
        place = given_folder(quarantine_path)
        self._job_parameters = arguments.job_parameters(job_parameters)
        self._own_spark = spark is None
        self._stopped = False
        self._owner = Owner()
        self.live = True
        self._lock = threading.RLock()
        self.rewritten: WeakKeyDictionary[DataFrame, Rewriting] = WeakKeyDictionary()
        self._planned: Recent[Any] = Recent(200)
        # With which options Spark SQL calls async functions now.
        self.options_in_force: dict[tuple[str, int], FunctionOptions] = {}
        self.notes: list[str] = arguments.bundle_time(bundle_time)
        self.folder: Path = make_folder()
        self.java = JavaCalls(self, self._lock)
        self.store = Store()
        self._receiver: Receiver | None = None
        self.warehouse: Warehouse | None = None
        self._place: Warehouse | None = None
        try:
            if spark is None:
                started = open_spark(
                    self.folder,
                    remote=remote,
                    app_name=app_name or "notebook-udf",
                    master=master or f"local[{size}]",
                    conf={k: str(v) for k, v in (conf or {}).items()},
                    archive=archive,
                    memory=memory,
                    quarantine=place,
                )
                self.host: Host = started.host
                self._place, self.warehouse = started.place, started.warehouse
                self.notes += started.notes
                runs = started.is_elsewhere
            else:
                self.host, runs = host_of(spark), True
                if not self.host.is_alive:
                    raise SessionError("the Spark session is stopped; start a new one")
                self.notes += arguments.without_effect(
                    app_name=app_name, master=master, workers=workers
                )
            self.spark: SparkSession = self.host.spark
            self.store.computed = lambda stage: answered(lambda: self.host.jobs.computed(stage))
            self.changes = Changes(self.host.settings)
            self.host.enter()
            if runs:
                self.notes[:0] = self.host.adopt(self.changes, self.folder, archive)
                for key, value in (conf or {}).items():
                    self.changes.sql(key, str(value))
            name, bind = self.host.listening_address()
            self._receiver = Receiver(self.folder, self.store.apply, host=name, bind=bind)
            self.store.catch_up = self._receiver.catch_up
            self._configure(self._receiver, rows, memory, place)
            self._hook_in(
                *kept_tables(self.host, self.warehouse, self.notes.append),
                self.java,
                Translator(self),
                QuietLoggers(),
                SqlDrops(self),
                SteadyQueries(self),
                CellNames(self.host),
                TaskEnds(self, self._receiver.numbers),
            )
        except BaseException:
            host, changes = getattr(self, "host", None), getattr(self, "changes", None)
            abandon(host, changes, own=self._own_spark)
            self._release()
            raise
        self.pool = Pool(
            self.store,
            self._receiver,
            size=self.host.cluster.parallelism,
            on_log_level=lambda level: self.changes.sql(LOG_LEVEL_CONF, level),
        )
        self.functions = Registry()
        self.hidden = HiddenFunctions(self.spark)
        doorway.door = self.actions = SessionActions(self)
        self.host.at_exit(self.stop)
        self._warmup = Warmup(self)
        self._warmup.start()
        self.java.start()
        show_live()

    def _configure(
        self, receiver: Receiver, rows: int | None, memory: int | None, place: str | None
    ) -> None:
        variables = worker_environment(
            self.folder,
            receiver,
            memory=memory,
            quarantine=place,
            python_path=self.host.settings.environment.get("PYTHONPATH") or "",
        )
        for name, value in variables.items():
            self.changes.environment(name, value)
        self.quarantine = QuarantineFolder(place, self.folder, self.host, self.changes)
        if rows is not None:
            self.changes.sql("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
        self.changes.sql(LOG_LEVEL_CONF, "INFO")
        self._send_job_parameters()

    # Functions -------------------------------------------------------------------------------

    def register_function(
        self,
        name: str,
        function: Any,
        *,
        replace: bool = False,
        kind: str | None = None,
        **options: Any,
    ) -> RegisteredFunction:
        """Registers a function under a SQL name, for SQL and DataFrames.

        An earlier function of that name stays in ``history``; queries planned from now on use
        the new one, with the globals it sees now.

        Parameters
        ----------
        name
            The SQL name.
        function
            What ``udf``, ``udtf`` or ``udaf`` returned, anything they take, or a function object
            of PySpark's own, which says its types and kind.
        replace
            Allows the name of one of Spark's built-ins.
        kind
            One of ``scalar``, ``async``, ``table``, ``aggregate``, ``process``: the kind that the
            code has to be of.
        **options
            Passed to ``udf`` if ``function`` is not declared yet. Of an object of PySpark's, with
            ``coerce=True`` results of another type are converted as by Spark, and are no errors.

        Returns
        -------
        RegisteredFunction
            The new version. Call it on columns, or ``eval`` it on values.

        Raises
        ------
        DeclarationError
            If the declaration is wrong, or options are given for a function declared already.
        CaptureError
            If it refers to something that cannot be pickled for a worker.
        NameTakenError
            If the name is a built-in's and ``replace`` is not set, or one of the words that are
            always Spark's own in SQL: ``first``, ``last``, ``any_value``, ``struct``, ``not``.

        Notes
        -----
        Source: PyFlink's [create_temporary_function][pyflink], which is another name of this
        method.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> half.eval(3)
        1.5
        >>> session.sql("SELECT half(3) AS h").first()
        Row(h=1.5)
        """
        self._check_alive()
        definition = declared(self, name, function, kind, options)
        return self._record(name, definition, freeze(definition), replace=replace)

    create_temporary_function = register_function  # PyFlink's name for the same.

    def _record(
        self, name: str, definition: FunctionDefinition, payload: bytes, *, replace: bool
    ) -> RegisteredFunction:
        with self._lock:
            if definition.options.on_error == "quarantine":
                self.quarantine.settle()
            builtin = check_name(self.spark, name, replace=replace)
            record = self.functions.add(
                name, definition, payload, self.actions, replaces_builtin=builtin
            )
            try:
                if builtin:
                    session_functions_first(self.changes)
                kind_of(self, record).register()
            except BaseException:
                self.functions.discard(record)
                raise
            return record

    def drop_function(self, name: str) -> bool:
        """Drops a function with all its versions, in SQL too.

        SQL's ``DROP TEMPORARY FUNCTION name`` does the same. Queries that run go on. A record that
        a variable holds can still be called on columns, and restored.

        Parameters
        ----------
        name
            The SQL name, in any letter case.

        Returns
        -------
        bool
            Whether there was such a function.

        Notes
        -----
        Source: PyFlink's [drop_temporary_function][pyflink], which is another name of this method.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> session.drop_function("half"), session.drop_function("half")
        (True, False)
        """
        self._check_alive()
        with self._lock:
            return drop(self, name)

    def list_user_defined_functions(self) -> list[str]:
        """Lists the names of the session's functions; ``functions`` has their records.

        Returns
        -------
        list of str
            The names, as they were registered.

        Notes
        -----
        Source: PyFlink's [list_user_defined_functions][pyflink].

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> "half" in session.list_user_defined_functions()
        True
        """
        return list(self.functions)

    drop_temporary_function = drop_function  # PyFlink's name for the same.

    def forget_planned(self, name: str) -> None:
        """Forgets the Spark functions made for a registered function."""
        self._planned.forget(lambda key: bool(key[0] == name.lower()))
        for key in [key for key in self.options_in_force if key[0] == name.lower()]:
            del self.options_in_force[key]

    def adopted(self, definition: FunctionDefinition) -> RegisteredFunction:
        """The record of a definition that is not registered in SQL."""
        return self.actions.adopted(definition)

    def planned(self, record: RegisteredFunction, role: Role = "scalar") -> Any:
        """The Spark function of a record in a role."""
        key = (*record.identity, role)
        with self._lock:
            return self._planned.get(key, lambda: kind_of(self, record).spark_function(role))

    # Queries ---------------------------------------------------------------------------------

    def sql(self, query: str, **args: Any) -> DataFrame:
        """Makes a DataFrame of a SQL query.

        Does all that ``spark.sql`` does, and takes aggregate functions wherever a built-in may be.

        Parameters
        ----------
        query
            One statement of Spark SQL.
        **args
            Values for its ``{name}`` places: columns, DataFrames or Python values.

        Returns
        -------
        DataFrame
            As of ``spark.sql``.

        Raises
        ------
        PlanningError
            If an aggregate function is called where none can be, with the place in the query.

        Notes
        -----
        Source: PySpark's [SparkSession.sql][pyspark].

        Examples
        --------
        >>> session.sql("SELECT sum(id) AS total FROM {rows}", rows=spark.range(4)).first()
        Row(total=6)
        """
        self._check_alive()
        self.refresh_dependencies()
        return run_query(self, query, args)

    def metrics(self, query: str | None = None) -> MetricsView:
        """Shows what functions cost, and their own metrics.

        Parameters
        ----------
        query
            Spark's execution id of a query; without it, all queries of the session.

        Returns
        -------
        MetricsView
            Displays as a panel. Times are in seconds and nanoseconds, as their names say.

        Examples
        --------
        >>> @nu.register(compile=False)
        ... def tenth(x: int) -> float:
        ...     return x / 10
        >>> total = session.sql("SELECT sum(tenth(id)) AS t FROM range(10)").first()
        >>> [total.rows_in for total in session.metrics().totals if total.function == "tenth"]
        [10]
        """
        self.store.catch_up(_SECONDS_TO_CATCH_UP)
        return MetricsView(self.store, self.spark, query)

    def logs(
        self,
        *,
        query: str | None = None,
        function: str | None = None,
        level: str | None = None,
        pid: int | None = None,
        text: str | None = None,
    ) -> LogView:
        """Shows what functions printed and logged, oldest first.

        Parameters
        ----------
        query
            Spark's execution id of a query.
        function
            Name of a function.
        level
            The lowest level, as in ``"WARNING"``.
        pid
            Process id of a worker.
        text
            What a line has to contain, in any letter case.

        Returns
        -------
        LogView
            The lines that all of these hold for. Displays as a panel.

        Examples
        --------
        >>> @nu.register(compile=False)
        ... def loud(text: str) -> str:
        ...     print("heard", text)
        ...     return text.upper()
        >>> row = session.sql("SELECT loud('hello') AS l").first()
        >>> [line.text for line in session.logs(function="loud")][-1]
        'heard hello'
        """
        self.store.catch_up(_SECONDS_FOR_LINES)
        return LogView(self.store, self.spark, LogChoice(query, function, level, pid, text))

    def check(self) -> ClusterCheck:
        """Asks a worker of every executor what it has: Python, this package, the daemon that forks
        its workers, whether it reaches this kernel, the memory limit.

        Displays as a table, with what to do about what is missing. Takes about a second, more
        where executors have to be started first.

        Returns
        -------
        ClusterCheck
            A line for each executor. Displays as a table.

        Examples
        --------
        >>> check = session.check()
        """
        self._check_alive()
        return check(self.host.cluster)

    def plan(self, query: DataFrame | str) -> PlanExplorer:
        """Plans a DataFrame or a SQL query, without running it.

        It shows Spark's operators with the functions they evaluate, how each function runs and why,
        and advice. If this very plan was run, by an action on the DataFrame or as the same query,
        it shows what its last run cost.

        Parameters
        ----------
        query
            A DataFrame, or the text of a query.

        Returns
        -------
        PlanExplorer
            Displays as a graph in a notebook, and as a tree in a terminal.

        Raises
        ------
        PlanningError
            If it is neither, or the query cannot be planned.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> plan = session.plan("SELECT half(id) AS h FROM range(3)")
        >>> "half" in str(plan.to_dict())
        True
        """
        self._check_alive()
        return plan_of(self, query)

    # Life ------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends workers and side channel, and Spark if the session started it. Idempotent.

        A Spark that was adopted is restored: without the session's functions, with its own confs,
        workers' Python and variables, except those that were set to another value since. Does
        nothing in a forked child: it is the parent's.

        Examples
        --------
        A session is a context manager, which stops at the end of its block. Without one::

            session.stop()
        """
        if self._stopped or not self._owner.is_here:
            return
        tell_ending(self)
        self._stopped = True
        end_panels()
        self._warmup.cancel()
        self.java.cancel()
        if self._own_spark:
            try:
                self.host.stop()
            except Exception:
                # A JVM that was killed cannot be asked to stop; the rest still has to go.
                _log.warning("Spark did not stop as it should", exc_info=True)
        elif self.host.is_alive:
            self._leave()
        self._unhook()
        self.host.leave()
        self.forget_dependencies()
        self.quarantine.release()
        self._release()
        if doorway.door is self.actions:
            doorway.door = None
        atexit.unregister(self.stop)

    def _leave(self) -> None:
        """Restores a Spark that was adopted: it goes on without this session."""
        for name in list(self.functions):
            drop(self, name)
        self.changes.undo()
        if self.host.frames.frame_class is not None:
            # The next session's variables are a conf, for which Spark forks no other workers.
            self.pool.end_idle()

    def _release(self) -> None:
        if self._receiver is not None:
            self._receiver.close()
        remove_folder(self.folder)
        if self._place is not None:
            self._place.leave()

    def _check_alive(self) -> None:
        self._owner.check()
        if self._stopped or not self.host.is_alive:
            raise SessionError("the session is stopped; nu.session() starts a new one")

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        if self._stopped:
            return "<stopped notebook-udf session>"
        text = (
            f"<notebook-udf session on Spark {self.spark.version}, {self.host.cluster.master}: "
            f"{counted(len(self.functions), 'function')}, {counted(len(self.pool), 'worker')}>"
        )
        if self.warehouse is not None:
            text += f"\nmanaged tables are kept in {self.warehouse.root}"
        return "\n".join([text, *self.notes])
