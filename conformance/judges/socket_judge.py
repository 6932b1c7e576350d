"""Python's websockets as the client of /ws on that port: echoes, compression, pings, ends, limits, Origin."""

import asyncio
import os
import sys

import websockets

URL = f"ws://127.0.0.1:{sys.argv[1]}/ws"
MOST = 16 * 1024 * 1024


async def echoes():
    messages = ["hi", "", "ä" * 1000, "\U0001f426" * 5000, b"", b"x" * 10, os.urandom(200_000), b"z" * MOST]
    async with websockets.connect(URL, max_size=None) as socket:
        names = [extension.name for extension in socket.protocol.extensions]
        assert names == ["permessage-deflate"], names
        for message in messages:
            await socket.send(message)
            answer = await socket.recv()
            assert type(answer) is type(message) and answer == message, f"{len(message)} became {len(answer)}"
        await socket.send(["in ", "three ", "fragments"])
        assert await socket.recv() == "in three fragments"
        await asyncio.wait_for(await socket.ping(b"here?"), 10)
        await socket.close(4000, "enough")
    assert socket.close_code == 4000, socket.close_code


async def without_compression():
    async with websockets.connect(URL, compression=None) as socket:
        assert not socket.protocol.extensions
        await socket.send("plain")
        assert await socket.recv() == "plain"


async def too_big():
    try:
        async with websockets.connect(URL, max_size=None) as socket:
            await socket.send(b"z" * (MOST + 1))
            await socket.recv()
    except websockets.ConnectionClosed as closed:
        assert closed.rcvd is not None and closed.rcvd.code == 1009, closed.rcvd
    else:
        raise AssertionError("a message that is too big was echoed")


async def other_origin():
    try:
        async with websockets.connect(URL, origin="https://evil.example"):
            raise AssertionError("another origin was let in")
    except websockets.InvalidStatus as refused:
        assert refused.response.status_code == 403, refused.response.status_code


async def main():
    await echoes()
    await without_compression()
    await too_big()
    await other_origin()


asyncio.run(asyncio.wait_for(main(), 90))
