"""Gunicorn's threads (``gthread``), with connections spread evenly over processes and none that
holds a thread unused.

Browsers and proxies keep their connections, so that whichever process accepts one answers all that
comes over it. All processes wake for a new connection, and the quickest has it: often the same one
for all of them, which then works alone while the others idle. And Gunicorn gives a new connection a
thread before anything was sent over it, for up to five seconds. Browsers open connections that they
may not need, and a process has two threads.

Rests on parts of Gunicorn's threads that are nobody's to rely on: ``accept``, ``TConn``, the
connections that it counts and those that wait.

What would remove it: a proxy in front that knows the processes one by one and picks the one with
fewest connections, or a Gunicorn that spreads connections over processes by itself.
"""

from __future__ import annotations

import errno
import selectors
import socket
import time
from functools import partial

from gunicorn.workers.gthread import TConn, ThreadWorker

READ_AGAINST = "27.0"
"""The Gunicorn that this was read against (``tests/house/test_read_against.py``)."""
# How long a process waits at most, in seconds, before it takes another connection, and how many
# connections make it wait half as long. Any other that is awake as well takes it meanwhile, unless
# it has as many.
_LONGEST, _HALF = 0.006, 12
_GONE = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)


class EvenWorker(ThreadWorker):  # type: ignore[misc]  # Gunicorn has no types
    """``worker_class`` names this class."""

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
        connection = TConn(self.cfg, client, address, listener.getsockname())
        self.nr_conns += 1
        connection.set_timeout()
        self.pending_conns.append(connection)
        ready = partial(self.on_pending_socket_readable, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, ready)

    def _cap_keepalive(self, deadline: float) -> None:
        """At a stop: close by then what is open without a request, connections too that never sent
        one."""
        super()._cap_keepalive(deadline)
        for connection in self.pending_conns:
            connection.timeout = min(connection.timeout, deadline)
