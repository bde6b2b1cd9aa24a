"""The Python SDK 2.x: with the handshake (legacy), and negotiating (auto),
where it settles on 2026-07-28 and subscribes with a listen stream."""

import warnings

import anyio
import mcp_types as types
from mcp import StdioServerParameters
from mcp.client.client import Client

from session import COMMAND, SCRIPT, UPDATE, Closing, Playground, change, check_file, expect, play, read_resource

URI = SCRIPT["uri"]

# The legacy session subscribes in the way that 2026-07-28 has removed.
warnings.simplefilter("ignore")


async def main(mode, expected):
    closing = Closing()
    with Playground() as place:
        updates, updated = anyio.create_memory_object_stream(16)

        async def on_message(message):
            if isinstance(message, types.ResourceUpdatedNotification):
                await updates.send(str(message.params.uri))

        server = StdioServerParameters(command=COMMAND, env=place.environment, cwd=place.directory)
        async with Client(server, mode=mode, message_handler=on_message) as client:
            expect("the protocol version", client.protocol_version, expected)
            await play(client)
            await read_resource(client.read_resource, URI)
            if mode == "legacy":
                await client.subscribe_resource(URI)
                await change(client)
                with anyio.fail_after(UPDATE):
                    expect("the update", await updated.receive(), URI)
            else:
                async with client.listen(resource_subscriptions=[URI]) as stream:
                    await change(client)
                    with anyio.fail_after(UPDATE):
                        event = await anext(stream)
                    expect("the update", str(event.uri), URI)
            check_file(place.file)
            updates.close()
            updated.close()
            closing.begin()
    closing.report(f"python sdk 2.x, {mode}", expected)


anyio.run(main, "legacy", "2025-11-25")
anyio.run(main, "auto", "2026-07-28")
