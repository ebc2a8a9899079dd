"""PySpark's function objects, of which each kind of session has classes of its own.

Which ones is decided as ``pyspark.sql.functions`` decides it: a function has to be of the same kind
as the columns that it is called on.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql.utils import is_remote


def column_function(*args: Any, **kwargs: Any) -> Any:
    """A ``UserDefinedFunction`` of PySpark's; the arguments are those of its class."""
    if is_remote():
        from pyspark.sql.connect.udf import UserDefinedFunction as ConnectFunction

        return ConnectFunction(*args, **kwargs)
    from pyspark.sql.udf import UserDefinedFunction

    return UserDefinedFunction(*args, **kwargs)


def table_function(*args: Any, **kwargs: Any) -> Any:
    """A ``UserDefinedTableFunction`` of PySpark's; the arguments are those of its class."""
    if is_remote():
        from pyspark.sql.connect.udtf import UserDefinedTableFunction as ConnectTableFunction

        return ConnectTableFunction(*args, **kwargs)
    from pyspark.sql.udtf import UserDefinedTableFunction

    return UserDefinedTableFunction(*args, **kwargs)
