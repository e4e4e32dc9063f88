"""Bodies that come in pieces (``Transfer-Encoding: chunked``), whose length nothing announces.

Django reads as many bytes as ``Content-Length`` says, and none where it is missing: what a program
sent as it wrote it was answered as if nothing had been sent, a change of settings by 200. So such a
body is taken in before Django looks, and has a length like any other.

What would remove it: a Django that believes ``wsgi.input_terminated``.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_PIECE = 64 * 1024
# What is larger goes to the disk, as files that are sent do.
_IN_MEMORY = 1024 * 1024
# Beyond that it is not read to its end: whoever sends it may see a connection that breaks instead
# of the refusal.
_MOST_READ = 512 * 1024 * 1024


class WholeBodies:
    """An application that is told the length of every body. ``most``: bytes that any of its bodies
    may have; of a longer one it is told the length alone, which it refuses."""

    def __init__(self, application: Application, most: int) -> None:
        self._application, self._most = application, most

    def __call__(self, environ: dict[str, Any], begin: Callable[..., Any]) -> Iterable[bytes]:
        """An answer, as servers ask for one."""
        # A server that does not say where such a body ends would be read for ever.
        if environ.get("CONTENT_LENGTH") or not (
            environ.get("HTTP_TRANSFER_ENCODING") and environ.get("wsgi.input_terminated")
        ):
            return self._application(environ, begin)
        body: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  (open until the answer ends)
        try:
            length = self._take_in(environ["wsgi.input"], body)
            body.seek(0)
            environ["wsgi.input"] = body
        except OSError as error:
            # Said where it is read: as of any other body that ends too early.
            length, environ["wsgi.input"] = 1, _Broken(error)
        environ["CONTENT_LENGTH"] = str(length)
        return _Closing(self._application(environ, begin), body)

    def _take_in(self, incoming: IO[bytes], body: IO[bytes]) -> int:
        length = 0
        while length <= max(self._most, _MOST_READ) and (piece := incoming.read(_PIECE)):
            length += len(piece)
            if length <= self._most:
                body.write(piece)
        return length


class _Closing:
    """An answer after which a file is closed."""

    def __init__(self, answer: Iterable[bytes], file: IO[bytes]) -> None:
        self._answer, self._file = answer, file

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        """Called by the server, whatever became of the answer."""
        try:
            close = getattr(self._answer, "close", None)
            if close is not None:
                close()
        finally:
            self._file.close()


class _Broken(io.RawIOBase):
    """A body that could not be read."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    def read(self, _size: int = -1, /) -> bytes:
        """Raises what was raised when it was taken in."""
        raise self._error

    def readline(self, _size: int | None = -1, /) -> bytes:
        """Likewise."""
        raise self._error
