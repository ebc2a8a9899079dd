"""An index of one package, on this machine, for those who know its password."""

from __future__ import annotations

import base64
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SECRET = "s3cret-of-the-index"
WHEEL = "secretly_helping-1.0-py3-none-any.whl"
INFO = "secretly_helping-1.0.dist-info"


class Guarded(SimpleHTTPRequestHandler):
    """Serves files to those who know the password."""

    def do_GET(self) -> None:
        expected = base64.b64encode(f"user:{SECRET}".encode()).decode()
        if self.headers["Authorization"] != f"Basic {expected}":
            self.send_error(401)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """The terminal is the tests'."""


@contextmanager
def guarded_index(folder: Path) -> Iterator[str]:
    """The address of the index, without its password; its files are in ``folder``."""
    page = folder / "simple" / "secretly-helping"
    page.mkdir(parents=True)
    with zipfile.ZipFile(page / WHEEL, "w") as wheel:
        wheel.writestr("secretly_helping.py", "VALUE = 42\n")
        wheel.writestr(
            f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: secretly-helping\nVersion: 1.0\n"
        )
        wheel.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{INFO}/RECORD", "")
    (page / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Guarded, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
