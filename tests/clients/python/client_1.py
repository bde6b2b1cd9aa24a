"""The Python SDK 1.x, which speaks the eras up to 2025-11-25."""

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

from session import COMMAND, SCRIPT, UPDATE, Closing, Playground, change, check_file, expect, play, read_resource


async def main():
    closing = Closing()
    with Playground() as place:
        updates, updated = anyio.create_memory_object_stream(16)

        async def on_message(message):
            if isinstance(message, types.ServerNotification) and isinstance(
                message.root, types.ResourceUpdatedNotification
            ):
                await updates.send(str(message.root.params.uri))

        server = StdioServerParameters(command=COMMAND, env=place.environment, cwd=place.directory)
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write, message_handler=on_message) as client:
                version = (await client.initialize()).protocolVersion
                await play(client)
                uri = SCRIPT["uri"]
                await read_resource(lambda uri: client.read_resource(AnyUrl(uri)), uri)
                await client.subscribe_resource(AnyUrl(uri))
                await change(client)
                with anyio.fail_after(UPDATE):
                    expect("the update", await updated.receive(), uri)
                check_file(place.file)
                updates.close()
                updated.close()
            closing.begin()
    closing.report("python sdk 1.x", version)


anyio.run(main)
