"""Gunicorn's threads (``gthread``), with connections spread evenly over processes and none that holds a thread unused.

Browsers and proxies keep their connections, so that whichever process accepts one answers all that comes over it. All
processes wake for a new connection, and the quickest has it: often the same one for all of them, which then works alone
while the others idle. And Gunicorn gives a new connection a thread before anything was sent over it, for up to five
seconds. Browsers open connections that they may not need, and a process has two threads.
"""

from __future__ import annotations

import errno
import selectors
import socket
import time
from functools import partial

from gunicorn.workers.gthread import TConn, ThreadWorker

# How long a process waits before it takes another connection, for each that it has: any other, awake as well, needs
# less than that. The one with the fewest does not wait, or not as long.
_STEP, _LONGEST = 0.00025, 0.003
_TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)


class EvenWorker(ThreadWorker):  # type: ignore[misc]  # Gunicorn has no types
    """``worker_class`` names this class."""

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, unless another process was quicker, and wait without a thread for its first byte."""
        time.sleep(min(self.nr_conns * _STEP, _LONGEST))
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            return
        connection = TConn(self.cfg, client, address, listener.getsockname())
        self.nr_conns += 1
        connection.set_timeout()
        self.pending_conns.append(connection)
        ready = partial(self.on_pending_socket_readable, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, ready)
