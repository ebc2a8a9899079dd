"""The classes that every function's Java calls, and those in which Spark calls a function."""

from __future__ import annotations

import hashlib
import sys
from functools import lru_cache
from pathlib import Path

from notebook_udf.compile.java.java_class import MOST_ARGUMENTS, PACKAGE
from notebook_udf.compile.java.standard_library import html_texts
from notebook_udf.compile.java.texts import normal_forms, unicode_tables

_RUNTIME = Path(__file__).with_name("runtime")

# Scala has a class of functions for each count of arguments, and so have we.
_CALL = """
public interface PyCall{count} {{
    Object call({parameters});
}}

public final class PyFunction{count} extends scala.runtime.AbstractFunction{count}
        implements PyCalled, java.io.Serializable {{
    private static final long serialVersionUID = 1L;

    private final PyClass of;
    private final PyMeter meter;
    private final String header;
    private transient PyCall{count} made;

    public PyFunction{count}(PyClass of, PyMeter meter, String header) {{
        this.of = of;
        this.meter = meter;
        this.header = header;
    }}

    public String header() {{
        return header;
    }}

    PyMeter meter() {{
        return meter;
    }}

    public Object apply({parameters}) {{
        if (made == null) {{
            made = (PyCall{count}) meter.before(of.made());
        }}
        try {{
            boolean timed = meter.counts();
            long begun = timed ? System.nanoTime() : 0L;
            Object answer = made.call({names});
            if (timed) {{
                meter.took(System.nanoTime() - begun);
            }}
            meter.gave(answer);
            return answer;
        }} catch (IllegalStateException failed) {{
            throw RowFailed.at(failed, meter.rows());
        }}
    }}
}}
"""


def library_version() -> str:
    """A text that is another one where ``library`` is; takes less time."""
    written = (html_texts.__file__, normal_forms.__file__, unicode_tables.__file__, __file__)
    made_of = sorted([*_sources(), *map(Path, written)], key=lambda path: path.name)
    found = hashlib.sha256()
    for path in made_of:
        found.update(path.read_bytes())
    return f"{found.hexdigest()} Python {sys.version} arguments {MOST_ARGUMENTS}"


@lru_cache(maxsize=1)
def library() -> str:
    """Their source, as one unit."""
    texts = [path.read_text("utf-8") for path in _sources()]
    calls = (_call(count) for count in range(1, MOST_ARGUMENTS + 1))
    tables = (html_texts.source(), normal_forms.source(), unicode_tables.source())
    lines = [line for text in (*texts, *calls, *tables) for line in text.splitlines()]
    imports = dict.fromkeys(line for line in lines if line.startswith("import "))
    code = (line for line in lines if not line.startswith(("import ", "package ")))
    return "\n".join([f"package {PACKAGE};", *imports, *code])


def _sources() -> list[Path]:
    return sorted(_RUNTIME.glob("*.java"))


def _call(count: int) -> str:
    names = [f"x{at}" for at in range(count)]
    parameters = ", ".join(f"Object {name}" for name in names)
    return _CALL.format(count=count, parameters=parameters, names=", ".join(names))
