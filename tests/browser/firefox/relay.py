"""Stands between Playwright and a stock Firefox, and says yes to what that Firefox does not know
yet.

Playwright drives any Firefox over WebDriver BiDi, but asks each to emulate a colour scheme, which
Debian's long-term version refuses as an unknown command. This program is started in Firefox's place
with Firefox's arguments; it starts Firefox, listens where Playwright looks for it, and passes
everything on in both directions, except that refusal. Once Firefox knows the command, nothing is
left to do here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from functools import partial

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

# Whoever wants them gets what the machine is set to.
MAY_BE_UNKNOWN = {"emulation.setMediaFeaturesOverride"}
_LISTENS = re.compile(r"(?<=WebDriver BiDi listening on )ws://\S+")


class Conversation:
    """One connection of Playwright with one of Firefox."""

    def __init__(self, near: ServerConnection, far: ClientConnection) -> None:
        self.near, self.far = near, far
        self._asked: set[int] = set()

    async def run(self) -> None:
        """Until either hangs up."""
        directions = [asyncio.ensure_future(self._up()), asyncio.ensure_future(self._down())]
        _done, pending = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()

    async def _up(self) -> None:
        async for message in self.near:
            command = json.loads(message)
            if command["method"] in MAY_BE_UNKNOWN:
                self._asked.add(command["id"])
            await self.far.send(message)

    async def _down(self) -> None:
        async for message in self.far:
            answer = json.loads(message)
            if answer.get("id") in self._asked and answer.get("error") == "unknown command":
                await self.near.send(
                    json.dumps({"type": "success", "id": answer["id"], "result": {}})
                )
            else:
                await self.near.send(message)


async def relayed(near: ServerConnection, *, address: str) -> None:
    path = near.request.path if near.request else ""
    # Traces of pages are large, and a test that stands still in a debugger answers no ping.
    async with connect(address + path, max_size=None, ping_interval=None, compression=None) as far:
        await Conversation(near, far).run()


async def main(executable: str, arguments: list[str]) -> int:
    firefox = await asyncio.create_subprocess_exec(
        executable, *arguments, stderr=asyncio.subprocess.PIPE
    )
    assert firefox.stderr
    async for line in firefox.stderr:
        said = line.decode("utf-8", "replace")
        if match := _LISTENS.search(said):
            relay = partial(relayed, address=match[0])
            server = await serve(
                relay, "127.0.0.1", 0, max_size=None, ping_interval=None, compression=None
            )
            own = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            said = said.replace(match[0], own)
        sys.stderr.write(said)
        sys.stderr.flush()
    return await firefox.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(os.environ["BAREME_FIREFOX"], sys.argv[1:])))
