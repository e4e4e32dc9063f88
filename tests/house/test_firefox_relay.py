"""What stands between Playwright and Firefox, between two ends that are no browsers."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from tests.browser.firefox.relay import relayed


def test_only_what_may_be_unknown_is_said_yes_to() -> None:
    async def firefox(near: ServerConnection) -> None:
        async for message in near:
            command = json.loads(message)
            known = command["method"] == "session.status"
            outcome: dict[str, Any] = (
                {"result": {"ready": True}} if known else {"error": "unknown command"}
            )
            await near.send(
                json.dumps({"type": "success" if known else "error", "id": command["id"]} | outcome)
            )

    async def conversation() -> list[dict[str, Any]]:
        def port(server: Any) -> int:
            return int(next(iter(server.sockets)).getsockname()[1])

        methods = (
            "session.status",
            "emulation.setMediaFeaturesOverride",
            "emulation.somethingElse",
        )
        async with serve(firefox, "127.0.0.1", 0) as far:
            address = f"ws://127.0.0.1:{port(far)}"
            async with (
                serve(lambda near: relayed(near, address=address), "127.0.0.1", 0) as relay,
                connect(f"ws://127.0.0.1:{port(relay)}/session") as near,
            ):
                messages = []
                for number, method in enumerate(methods):
                    await near.send(json.dumps({"id": number, "method": method, "params": {}}))
                    messages.append(json.loads(await near.recv()))
                return messages

    # In a thread of its own: a browser test of the same process may have left Playwright's loop
    # running in this one.
    with ThreadPoolExecutor(1) as thread:
        answers = thread.submit(asyncio.run, conversation()).result()
    assert answers == [
        {"type": "success", "id": 0, "result": {"ready": True}},
        {"type": "success", "id": 1, "result": {}},
        {"type": "error", "id": 2, "error": "unknown command"},
    ]
