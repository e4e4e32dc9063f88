"""Gunicorn's threads (``gthread``), with connections spread evenly over processes and none that
holds a thread while its request is still on the way.

Browsers and proxies keep their connections, so that whichever process accepts one answers all that
comes over it. All processes wake for a new connection, and the quickest has it: often the same one
for all of them, which then works alone while the others idle. And Gunicorn gives a connection a
thread with its first byte, a new one even before: browsers open connections that they may not need,
whoever sends half a request keeps the thread for as long as they like, and a process has two.

So a request is taken in by the loop that watches all connections, without a thread, until its head
and a short body are there. A long body cannot be kept in memory for everybody: it is read by a
thread, as Gunicorn does, but one thread of each process at least is never given to such a request.

And of a body that an answer left unread, as most refusals do, Gunicorn reads 64 kB away and then
breaks a connection off that the answer said would stay: the next request on it failed, or the
refusal itself was lost to whoever was still sending. Here it is read to its end.

Rests on parts of Gunicorn's threads that are nobody's to rely on: ``accept``, ``enqueue_req``,
``finish_request`` and ``murder_pending``, which run in that loop; ``_keepalive_after``, which ends
a thread's work, and a parser's ``finish_body``; ``TConn`` and what a parser has read ahead; the
connections that it counts and those that wait.

What would remove it: a proxy in front that knows the processes one by one, picks the one with
fewest connections and takes in whole requests, or a Gunicorn that does both by itself.
"""

from __future__ import annotations

import errno
import re
import selectors
import socket
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, cast

from gunicorn.workers.gthread import TConn, ThreadWorker

READ_AGAINST = "27.0"
"""The Gunicorn that this was read against (``tests/house/test_read_against.py``)."""
# How long a process waits at most, in seconds, before it takes another connection, and how many
# connections make it wait half as long. Any other that is awake as well takes it meanwhile, unless
# it has as many.
_LONGEST, _HALF = 0.006, 12
_GONE = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)
# Bytes of a request, head and body, that are taken in without a thread. All connections of a
# process (``worker_connections``, 1,000) hold 64 MB of them at most. A judgment has 1 to 5 kB.
_SHORT = 65_536
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
# Sent in pieces, or only once the server has said that it will read: the length is not known, or
# nothing more comes by waiting.
_BY_AND_BY = re.compile(rb"\r\n(?:transfer-encoding|expect):", re.IGNORECASE)
# Of what an answer left unread. More than any upload, and as long as a refused one is read
# (``annotation.web.platform.upload_limit``).
_UNREAD, _UNREAD_SECONDS = 512 * 1024 * 1024, 30.0
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class _Bounded:
    """A connection's socket as its parser reads it: not beyond a moment, however slowly something
    comes. An end would not do: what came would pass for all."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recv(self, size: int) -> bytes:
        """What a socket's ``recv`` gives. Raises ``ConnectionResetError`` when it is too late."""
        sock, until = self._connection.sock, self._connection.until
        if until is None:
            return cast(bytes, sock.recv(size))
        waits = sock.gettimeout()
        left = until - time.monotonic()
        if left > 0:
            sock.settimeout(left if waits is None else min(left, waits))
            try:
                return cast(bytes, sock.recv(size))
            except TimeoutError:
                if waits is not None and waits < left:
                    raise
            finally:
                sock.settimeout(waits)
        raise ConnectionResetError(errno.ECONNRESET, "sent too slowly")

    def gettimeout(self) -> float | None:
        """Asked for by Gunicorn, which bounds some reads itself."""
        return cast(float | None, self._connection.sock.gettimeout())

    def settimeout(self, seconds: float | None) -> None:
        """Likewise."""
        self._connection.sock.settimeout(seconds)


class Connection(TConn):  # type: ignore[misc]  # Gunicorn has no types
    """A connection, with what has come of its next request."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self.arrived = bytearray()
        self.has_ended = False
        # When a long request is to be there at the latest, once a thread reads it.
        self.until: float | None = None

    def init(self) -> None:
        """In the thread: the parser reads what was taken in before anything else."""
        if not self.initialized:
            super().init()
            self.parser.unreader.sock = _Bounded(self)
        if self.arrived:
            self.parser.unreader.unread(bytes(self.arrived))
            self.arrived.clear()

    def take_in(self) -> None:
        """What has come by now, without waiting, up to as much as a short request has."""
        if self.parser is not None:
            # Came together with the request before.
            self.arrived += self.parser.unreader.take_buffered()
        self.sock.setblocking(False)
        while len(self.arrived) < _SHORT:
            try:
                piece = self.sock.recv(_SHORT - len(self.arrived))
            except BlockingIOError:
                return
            except OSError:
                piece = b""
            if not piece:
                self.has_ended = True
                return
            self.arrived += piece

    def missing(self) -> int | None:
        """Bytes that are still to come, at least one while the head is not whole; None where that
        is not known."""
        head = self.arrived.find(b"\r\n\r\n")
        if head < 0:
            return 1
        fields = self.arrived[: head + 2]
        if _BY_AND_BY.search(fields):
            return None
        said = _LENGTH.search(fields)
        return max(0, head + 4 + (int(said[1]) if said else 0) - len(self.arrived))


class EvenWorker(ThreadWorker):  # type: ignore[misc]  # Gunicorn has no types
    """``worker_class`` names this class."""

    # From the first byte of a short request to its last; and from a long one's thread to its last,
    # to which are added those that it takes at so many bytes per second.
    short_seconds, long_seconds, long_rate = 20.0, 60.0, 32_768

    def __init__(self, *of: Any, **named: Any) -> None:
        super().__init__(*of, **named)
        self._most_long = max(1, self.cfg.threads - 1)
        # Long requests that have a thread, and those that wait for one, with how many seconds each
        # may take.
        self._long: set[Connection] = set()
        self._long_waiting: deque[tuple[Connection, float]] = deque()

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, unless another process was quicker, and wait without a thread for
        its first byte."""
        if self.cfg.workers > 1:
            time.sleep(_LONGEST * self.nr_conns / (self.nr_conns + _HALF))
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in _GONE:
                raise
            return
        connection = Connection(self.cfg, client, address, listener.getsockname())
        self.nr_conns += 1
        connection.set_timeout()
        self._watch(connection)

    def enqueue_req(self, connection: Connection) -> None:
        """Give a connection a thread, as soon as that need not wait for the rest of a request."""
        if self.cfg.is_ssl:  # not to be read here
            super().enqueue_req(connection)
            return
        has_begun = bool(connection.arrived)
        connection.take_in()
        missing = connection.missing()
        if connection.has_ended or missing == 0:
            super().enqueue_req(connection)
        elif missing is None or len(connection.arrived) + missing > _SHORT:
            allowed = self.long_seconds + (missing or 0) / self.long_rate
            self._long_waiting.append((connection, allowed))
            self._enqueue_long()
        else:
            if not has_begun:
                connection.timeout = time.monotonic() + self.short_seconds
            self._watch(connection)

    def finish_request(self, connection: Connection, done: Future[Any]) -> None:
        """A thread is free again, and may be for a long request that waits."""
        self._long.discard(connection)
        connection.until = None
        super().finish_request(connection, done)
        self._enqueue_long()

    def murder_pending(self) -> None:
        """End connections that were too slow. Gunicorn looks at the first alone, as if all had as
        long."""
        now = time.monotonic()
        for connection in [each for each in self.pending_conns if each.timeout <= now]:
            self.pending_conns.remove(connection)
            self.poller.unregister(connection.sock)
            self.nr_conns -= 1
            if connection.arrived:
                with suppress(OSError):
                    connection.sock.send(_TOO_SLOW)
            connection.close()

    def _keepalive_after(self, connection: Connection, keepalive: bool) -> bool:
        """In the thread, after an answer: whether another request may come over the connection."""
        if connection.until is None:  # all of it has come already
            return bool(super()._keepalive_after(connection, keepalive))
        until = min(connection.until, time.monotonic() + _UNREAD_SECONDS)
        is_read = connection.parser.finish_body(deadline=until, max_bytes=_UNREAD)
        return keepalive and bool(is_read)

    def _watch(self, connection: Connection) -> None:
        """Wait without a thread for more of a request."""
        self.pending_conns.append(connection)
        ready = partial(self.on_pending_socket_readable, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, ready)

    def _enqueue_long(self) -> None:
        while self._long_waiting and len(self._long) < self._most_long:
            connection, allowed = self._long_waiting.popleft()
            self._long.add(connection)
            connection.until = time.monotonic() + allowed
            super().enqueue_req(connection)

    def _cap_keepalive(self, deadline: float) -> None:
        """At a stop: close by then what is open without a request, connections too that never sent
        one."""
        super()._cap_keepalive(deadline)
        for connection in self.pending_conns:
            connection.timeout = min(connection.timeout, deadline)
