"""What two agents do all day, through the official Python SDK. It runs with either generation."""

import asyncio
import json
import time
import unittest
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version

import anyio
import mcp
from jsonschema import Draft202012Validator
from mcp.client.streamable_http import streamable_http_client

from hub import BINARY, Hub, new_home

FIRST = version("mcp").startswith("1.")
MODES = {"legacy": "2025-11-25"} if FIRST else {"legacy": "2025-11-25", "auto": "2026-07-28"}
WAYS = ["http", "stdio", "stdio beside a hub"]
FAULT = mcp.McpError if FIRST else mcp.MCPError


@asynccontextmanager
async def connected(place, mode):
    """A client of this generation, and the version it speaks."""
    if FIRST:
        dial = streamable_http_client if isinstance(place, str) else mcp.stdio_client
        async with dial(place) as (read, write, *_), mcp.ClientSession(read, write) as session:
            hello = await session.initialize()
            yield session, hello.protocolVersion
    else:
        async with mcp.Client(place, mode=mode) as client:
            yield client, client.protocol_version


class Agent:
    """One agent on one connection."""

    def __init__(self, name, client, version):
        self.name, self.client, self.version = name, client, version

    async def alive(self):
        """Something that is answered while other calls wait; the new protocol has no ping."""
        await (self.client.send_ping() if self.version < "2026-07-28" else self.ask("nexus_info"))

    async def ask(self, tool, **arguments):
        """The envelope that a tool answers with, the same in both forms."""
        answer = await self.client.call_tool(tool, arguments)
        result = answer.model_dump(by_alias=True, mode="json")
        assert not result["isError"]
        envelope = json.loads(result["content"][0]["text"])
        assert envelope == result["structuredContent"]
        return envelope

    async def data(self, tool, **arguments):
        envelope = await self.ask(tool, **arguments)
        assert envelope["ok"], envelope
        return envelope["data"]


class Team:
    """A home, perhaps with a hub, and the agents connected there."""

    def __init__(self, way, mode):
        self.way, self.mode, self.home = way, mode, new_home()
        self.hub = None
        self.exits = AsyncExitStack()

    async def __aenter__(self):
        if self.way != "stdio":
            self.hub = await self.exits.enter_async_context(Hub(self.home))
        self.ann, self.bob = await self.join("ann"), await self.join("bob")
        return self

    async def __aexit__(self, *_):
        await self.exits.aclose()

    async def join(self, name):
        agent = Agent(name, *await self.exits.enter_async_context(connected(await self.place(name), self.mode)))
        workspace = await agent.data("workspace_resolve", project_root=self.home)
        await agent.data("agent_register", agent_id=name)
        await agent.data("session_open", agent_id=name, workspace_id=workspace["workspace_id"])
        return agent

    async def place(self, name):
        if self.way == "http":
            return f"{self.hub.base}/mcp?api_key={await self.hub.key(name)}"
        return mcp.StdioServerParameters(command=BINARY, args=["mcp"], env={"NEXUS_HOME": self.home})

    async def send(self, body):
        """Has ann write to bob."""
        return await self.ann.ask(
            "message_create", project_root=self.home, from_agent_id="ann", subject="a word", body=body,
            target={"strategy": "direct", "agent_id": "bob"},
        )

    async def pull(self):
        """Takes what bob has, and the bodies of it."""
        messages = (await self.bob.data("inbox_pull", agent_id="bob"))["messages"]
        await self.bob.data("inbox_ack", agent_id="bob", message_ids=[m["message_id"] for m in messages])
        return [m["body"] for m in messages]

    async def wait(self, cursor):
        """Has bob wait for the first event after a cursor. The call is under way when this returns."""
        task = asyncio.create_task(self.bob.data(
            "event_wait", project_root=self.home, agent_id="bob", stream="workspace", cursor=cursor, timeout_seconds=30,
        ))
        await self.bob.alive()
        if self.hub:
            await self.hub.parked(1)
        return task


class Case(unittest.IsolatedAsyncioTestCase):
    def __init__(self, method, way="http", mode="legacy"):
        super().__init__(method)
        self.way, self.mode = way, mode

    def __str__(self):
        return f"{self._testMethodName} ({self.mode}, {self.way})"

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)  # it is slow

    @asynccontextmanager
    async def team(self):
        with anyio.fail_after(60):
            async with Team(self.way, self.mode) as team:
                yield team


class Flow(Case):
    async def test_tools(self):
        async with self.team() as team:
            self.assertEqual(team.ann.version, MODES[self.mode])
            listed = (await team.ann.client.list_tools()).model_dump(by_alias=True, mode="json")
            self.assertGreater(len(listed["tools"]), 20)
            for tool in listed["tools"]:
                Draft202012Validator.check_schema(tool["inputSchema"])

    async def test_message(self):
        body = "Grüße, 你好, שלום, 👩🏽‍🚀, e\u0301, \u2028, \"quoted\" \\ <b>&\t\n\u0001 end"
        async with self.team() as team:
            sent = (await team.send(body))["data"]
            self.assertEqual(sent["recipients"], ["bob"])
            self.assertEqual(await team.pull(), [body])
            status = await team.ann.data("message_status", message_id=sent["message_id"])
            self.assertEqual([d["status"] for d in status["deliveries"]], ["read"])
            self.assertEqual(await team.pull(), [])

    async def test_wait(self):
        async with self.team() as team:
            first = (await team.send("before"))["data"]
            waiting = await team.wait(first["event_id"])
            await team.bob.alive()
            second = (await team.send("now"))["data"]
            woken = await waiting
            self.assertFalse(woken["timed_out"])
            self.assertEqual(woken["events"][0]["payload"]["message_id"], second["message_id"])

    async def test_cancelled_wait(self):
        async with self.team() as team:
            first = (await team.send("before"))["data"]
            waiting = await team.wait(first["event_id"])
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            if team.hub and not FIRST:  # the first generation tells nobody
                await team.hub.parked(0)
            await team.bob.alive()
            self.assertEqual(await team.pull(), ["before"])

    async def test_errors(self):
        async with self.team() as team:
            for tool, arguments, code in [
                ("agent_get", {"agent_id": "nobody"}, "NOT_FOUND"),
                ("agent_get", {"agent_ib": "ann"}, "VALIDATION_ERROR"),
            ]:
                answer = await team.ann.ask(tool, **arguments)
                self.assertEqual((answer["ok"], answer["error"]["code"]), (False, code))
            for name in ["no_such_tool", "größe"]:
                with self.assertRaises(FAULT) as raised:
                    await team.ann.ask(name)
                self.assertEqual(raised.exception.error.code, -32602)
            await team.ann.alive()

    async def test_size(self):
        body = "你好👋" * 6000
        self.assertEqual(len(body.encode()), 60_000)
        async with self.team() as team:
            self.assertTrue((await team.send(body))["ok"])
            self.assertEqual(await team.pull(), [body])
            answer = await team.send("x" * 300_000)
            self.assertEqual((answer["ok"], answer["error"]["code"]), (False, "CONTENT_TOO_LARGE"))
            self.assertEqual(await team.pull(), [])

    async def test_close(self):
        async with self.team() as team:
            waiting = await team.wait(1000)
            began = time.monotonic()
        self.assertLess(time.monotonic() - began, 2)  # then a client sends a signal
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


class Restart(Case):
    async def test_between_calls(self):
        async with self.team() as team:
            for kill in False, True:
                await team.hub.restart(kill)
                self.assertTrue((await team.send("still here"))["ok"])
                self.assertEqual(await team.pull(), ["still here"])

    async def test_during_a_wait(self):
        async with self.team() as team:
            first = (await team.send("before"))["data"]
            waiting = await team.wait(first["event_id"])
            await team.hub.restart()
            await team.send("after")
            events = (await waiting)["events"]
            self.assertEqual(len(events), 0 if self.way == "http" else 1)
            self.assertEqual(await team.pull(), ["before", "after"])


def load_tests(loader, _tests, _pattern):
    suite = unittest.TestSuite()
    for case, ways in (Flow, WAYS), (Restart, [way for way in WAYS if way != "stdio"]):
        for name in loader.getTestCaseNames(case):
            suite.addTests(case(name, way, mode) for mode in MODES for way in ways)
    return suite


if __name__ == "__main__":
    unittest.main()
