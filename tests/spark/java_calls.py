"""Calls of the Java library of ``compile.java`` in a JVM, and what Python gives for the same."""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql.types import DataType, StringType

from notebook_udf.compile.java.java_class import PACKAGE, JavaClass, translate
from notebook_udf.compile.java.library import library
from notebook_udf.worker.codec.encode import encoder

RAISED = "<raised>"
# What Java says of a row that it leaves to Python, where it is asked to tell that from the other.
GAVE_UP = "<gave up>"

# Calls come and results go as one text, of values that say how long they are: py4j takes as long
# for a value as Java does for thousands.
DRIVER = """
public final class Driver {
    private String text;
    private int at;

    private int size() {
        int end = text.indexOf(':', at);
        int found = Integer.parseInt(text.substring(at, end));
        at = end + 1;
        return found;
    }

    private Object value() {
        char tag = text.charAt(at++);
        int size = size();
        if (tag == 'l') {
            ArrayList list = new ArrayList();
            for (int i = 0; i < size; i++) {
                list.add(value());
            }
            return list;
        }
        String part = text.substring(at, at + size);
        at += size;
        if (tag == 'i') {
            BigInteger whole = new BigInteger(part, 16);
            return whole.bitLength() < 64 ? (Object) Long.valueOf(whole.longValue()) : whole;
        }
        if (tag == 'f') {
            return Double.valueOf(Double.longBitsToDouble(Long.parseLong(part)));
        }
        if (tag == 'd') {
            return java.time.LocalDate.parse(part);
        }
        if (tag == 'm') {
            return java.time.LocalDateTime.parse(part);
        }
        if (tag == 'c') {
            return new java.math.BigDecimal(part);
        }
        return tag == 's' ? part : tag == 'b' ? (Object) Boolean.valueOf(part.equals("1")) : null;
    }

    private static void write(StringBuilder made, Object value) {
        char tag;
        String part;
        if (value instanceof ArrayList) {
            ArrayList list = (ArrayList) value;
            made.append('l').append(list.size()).append(':');
            for (int i = 0; i < list.size(); i++) {
                write(made, list.get(i));
            }
            return;
        }
        if (value instanceof UTF8String) {
            value = value.toString();
        }
        if (value instanceof String) {
            tag = 's';
            part = (String) value;
        } else if (value instanceof Double) {
            tag = 'f';
            part = Long.toString(Double.doubleToRawLongBits(((Double) value).doubleValue()));
        } else if (value instanceof Boolean) {
            tag = 'b';
            part = ((Boolean) value).booleanValue() ? "1" : "0";
        } else if (value instanceof BigInteger && ((BigInteger) value).bitLength() < 64) {
            tag = 'e';
            part = "a BigInteger for a long";
        } else if (value instanceof Throwable) {
            tag = value instanceof Raised ? 'x' : value instanceof GaveUp ? 'g' : 'e';
            part = value.toString();
        } else {
            tag = value == null ? 'n' : 'i';
            part = value instanceof BigInteger ? ((BigInteger) value).toString(16)
                    : value == null ? "" : Long.toString(((Long) value).longValue(), 16);
        }
        made.append(tag).append(part.length()).append(':').append(part);
    }

    private static Method method(String owner, String name, int count) throws Exception {
        Method[] methods = Class.forName("notebookudf." + owner, true,
                Driver.class.getClassLoader()).getMethods();
        for (int i = 0; i < methods.length; i++) {
            if (methods[i].getName().equals(name)
                    && methods[i].getParameterTypes().length == count) {
                return methods[i];
            }
        }
        throw new Exception("no " + name);
    }

    /** A row as Spark hands it over: with sequences of Scala's. */
    private static Object[] entering(ArrayList row) {
        Object[] made = row.toArray();
        for (int i = 0; i < made.length; i++) {
            if (made[i] instanceof ArrayList) {
                ArrayList list = (ArrayList) made[i];
                made[i] = scala.jdk.javaapi.CollectionConverters.asScala(list).toSeq();
            }
        }
        return made;
    }

    /** What a function that Spark calls gives for each row. */
    public static String rows(String name, ClassLoader loader, String calls) throws Exception {
        Object function = loader.loadClass(name).getDeclaredConstructor(new Class[0])
                .newInstance(new Object[0]);
        Driver driver = new Driver();
        driver.text = calls;
        StringBuilder made = new StringBuilder();
        Method method = null;
        Method[] methods = function.getClass().getMethods();
        for (int i = 0; i < methods.length; i++) {
            if (methods[i].getName().equals("call")) {
                method = methods[i];
            }
        }
        while (driver.at < calls.length()) {
            Object result;
            try {
                result = method.invoke(function, entering((ArrayList) driver.value()));
            } catch (InvocationTargetException e) {
                String said = String.valueOf(e.getCause().getMessage());
                result = said.startsWith("[notebook-udf row") ? Raised.RAISED
                        : said.equals("gave up") ? (Object) GaveUp.GAVE_UP : e.getCause();
            }
            write(made, result);
        }
        return made.toString();
    }

    public static String run(String owner, String name, String calls) throws Exception {
        Driver driver = new Driver();
        driver.text = calls;
        StringBuilder made = new StringBuilder();
        Method method = null;
        while (driver.at < calls.length()) {
            Object[] given = ((ArrayList) driver.value()).toArray();
            if (method == null) {
                method = method(owner, name, given.length);
            }
            Object result;
            try {
                for (int i = 0; i < given.length; i++) {
                    if (method.getParameterTypes()[i] == Integer.TYPE) {
                        given[i] = Integer.valueOf(((Long) given[i]).intValue());
                    }
                }
                result = method.invoke(null, given);
                if (result instanceof Integer) {
                    result = Long.valueOf(Integer.signum(((Integer) result).intValue()));
                }
            } catch (InvocationTargetException e) {
                result = e.getCause();
            }
            write(made, result);
        }
        return made.toString();
    }

    /** A digit for each character of a text: 1 where it is of a class. */
    public static String each(String owner, String name, String text) throws Exception {
        Method method = method(owner, name, 1);
        StringBuilder made = new StringBuilder();
        for (int i = 0; i < text.length();) {
            int next = text.offsetByCodePoints(i, 1);
            Object[] given = new Object[] {text.substring(i, next)};
            made.append(((Boolean) method.invoke(null, given)).booleanValue() ? '1' : '0');
            i = next;
        }
        return made.toString();
    }
}
"""


def written(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"l{len(value)}:" + "".join(map(written, value))
    if value is None:
        return "n0:"
    if isinstance(value, bool):
        return f"b1:{value:d}"
    if isinstance(value, float):
        value = str(struct.unpack("<q", struct.pack("<d", value))[0])
        return f"f{len(value)}:{value}"
    if isinstance(value, int):
        # Of base 16, in which an int may have any number of digits.
        return f"i{len(f'{value:x}')}:{value:x}"
    for tag, kind in (("m", dt.datetime), ("d", dt.date), ("c", Decimal)):
        if isinstance(value, kind):
            shown = str(value) if tag == "c" else value.isoformat()
            return f"{tag}{len(shown)}:{shown}"
    return f"s{len(value.encode('utf-16-le')) // 2}:{value}"


def read(text: str) -> Iterator[Any]:
    units = text.encode("utf-16-le")
    at = 0

    def value() -> Any:
        nonlocal at
        end = units.index(b":\0", at + 2)
        while (end - at) % 2:
            end = units.index(b":\0", end + 1)
        tag, size = chr(units[at]), int(units[at + 2 : end].decode("utf-16-le"))
        at = end + 2
        if tag == "l":
            return [value() for _ in range(size)]
        part = units[at : at + 2 * size].decode("utf-16-le")
        at += 2 * size
        if tag == "f":
            return struct.unpack("<d", struct.pack("<q", int(part)))[0]
        if tag == "e":
            return f"<error: {part}>"
        if tag == "n":
            return None
        if tag == "i":
            return int(part, 16)
        return {"b": part == "1", "x": RAISED, "g": GAVE_UP, "s": part}[tag]

    while at < len(units):
        yield value()


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        signs = math.copysign(1, one) == math.copysign(1, other)
        return (one == other and signs) or (one != one and other != other)
    return type(one) is type(other) and one == other


def answer(python: Callable[..., Any], call: tuple[Any, ...]) -> Any:
    try:
        found = python(*call)
    except Exception:
        return RAISED
    return list(found) if isinstance(found, tuple) else found


def in_column(function: Callable[..., Any], result: DataType) -> Callable[..., Any]:
    """What Python answers, as a column of the type holds it."""
    encode = encoder(result)

    def called(*row: Any) -> Any:
        # A list that it changes is to be the same for Java.
        given = [list(each) if isinstance(each, list) else each for each in row]
        return encode([function(*given)]).to_pylist()[0]  # type: ignore[attr-defined]

    return called


class Java:
    """The library, compiled by Janino with what calls it, and with more classes that are called."""

    def __init__(self, jvm: Any, more: str = "") -> None:
        head, _, code = library().partition("\n")
        imports = [
            "import java.lang.reflect.Method;",
            "import java.lang.reflect.InvocationTargetException;",
        ]
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
        compiler.cook("\n".join([head, *imports, code, DRIVER, more]))
        driver = compiler.getClassLoader().loadClass("notebookudf.Driver")
        self.jvm = jvm
        self.loader = compiler.getClassLoader()
        self.methods = {method.getName(): method for method in driver.getMethods()}

    def call(self, method: str, *given: str) -> str:
        arguments = self.jvm.java.util.ArrayList()
        for each in given:
            arguments.add(each)
        found: str = self.methods[method].invoke(None, arguments.toArray())
        return found

    def results(self, where: str, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        return read(self.call("run", *where.split("."), "".join(map(written, calls))))

    def differences(
        self, where: str, python: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
    ) -> list[Any]:
        """Up to ten calls with other results: the call, Java's result, Python's."""
        asked = list(calls)
        found = list(self.results(where, asked))
        assert len(found) == len(asked)
        expected = [answer(python, call) for call in asked]
        every = zip(asked, found, expected, strict=True)
        return [(where, *one) for one in every if not same(one[1], one[2])][:10]

    def rows(
        self, java_class: JavaClass, given: Iterable[tuple[Any, ...]], *, tell: bool = False
    ) -> list[Any]:
        """What a function gives for each row; with ``tell`` it says on which it gave up."""
        compiler = self.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(self.loader)
        head, caught, rest = java_class.source.partition("catch (GaveUp unknown) {")
        assert caught
        if tell:
            caught += ' if (true) throw new IllegalStateException("gave up");'
        compiler.cook(f"package {PACKAGE};\n{head}{caught}{rest}")
        arguments = self.jvm.java.util.ArrayList()
        for each in (
            f"{PACKAGE}.{java_class.name}",
            compiler.getClassLoader(),
            "".join(map(written, given)),
        ):
            arguments.add(each)
        return list(read(self.methods["rows"].invoke(None, arguments.toArray())))


def answered_alike(
    java: Java,
    function: Callable[..., Any],
    types: Sequence[DataType],
    result: DataType,
    rows: Sequence[tuple[Any, ...]],
) -> int:
    """How many rows have an answer; fails at one that is not Python's."""
    found = java.rows(translate(function, types, result), rows)
    expected_of = in_column(function, result)
    for row, one in zip(rows, found, strict=True):
        assert repr(one) == repr(answer(expected_of, row)), row
    return sum(one != RAISED for one in found)


def wrong_rows(
    java: Java,
    function: Callable[..., Any],
    result: DataType,
    texts: list[Any],
    gives_up: Callable[[Any], bool] | None = None,
) -> list[Any]:
    """Up to five texts with other answers in a column: the text, Java's answer, Python's.

    Of what ``gives_up`` names, Java may have none.
    """
    found = java.rows(translate(function, [StringType()], result), [(text,) for text in texts])
    expected = [answer(in_column(function, result), (text,)) for text in texts]
    assert len(found) == len(expected)

    def fits(text: Any, one: Any, other: Any) -> bool:
        if isinstance(one, list) and isinstance(other, list):
            return len(one) == len(other) and all(map(same, one, other))
        return same(one, other) or (one == RAISED and gives_up is not None and gives_up(text))

    every = zip(texts, found, expected, strict=True)
    return [one for one in every if not fits(*one)][:5]
