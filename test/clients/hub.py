"""A hub of our own: the real binary in a home that nobody else uses."""

import asyncio
import json
import os
import re
import tempfile
import time
from urllib.request import Request, urlopen

BINARY = os.environ.get("NEXUS_BINARY", "nexus")


def new_home() -> str:
    """A new directory below the one that run.sh removes in the end."""
    return tempfile.mkdtemp(prefix="home-", dir=os.environ.get("NEXUS_TEST_DIR"))


class Hub:
    def __init__(self, home: str, *flags: str):
        self.home = home
        self.flags = flags
        self.port = "0"  # any free one at first, the same after a restart

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        await self.stop()

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            BINARY, "serve", "--port", self.port, *self.flags,
            env={"PATH": os.environ["PATH"], "HOME": self.home, "NEXUS_HOME": self.home, "NEXUS_NO_BANNER": "1"},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )
        said = []
        while line := (await self.process.stderr.readline()).decode():
            said.append(line)
            if found := re.search(r"(http://\S+:(\d+))/mcp$", line):
                self.base, self.port = found.groups()
            if "Nexus is ready" in line:
                self.rest = asyncio.create_task(self.process.stderr.read())
                return
        raise RuntimeError("the hub ended:\n" + "".join(said))

    async def stop(self, kill: bool = False):
        if self.process.returncode is None:
            self.process.kill() if kill else self.process.terminate()
        await self.rest
        await self.process.wait()

    async def restart(self, kill: bool = False):
        """Ends the hub and starts it again at the same address."""
        await self.stop(kill)
        await self.start()

    async def key(self, agent: str) -> str:
        """Makes an agent and returns its key."""
        body = json.dumps({"agent_id": agent}).encode()
        answer = json.loads(await self._fetch("/api/v1/agents", body))
        return answer["data"]["api_key"]

    async def parked(self, count: int):
        """Returns once so many calls are parked, and fails if that takes too long."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            waiters = re.search(r"^nexus_waiters (\d+)$", await self._fetch("/metrics"), re.M)[1]
            if int(waiters) == count:
                return
        raise AssertionError(f"{waiters} calls are parked, want {count}")

    async def _fetch(self, path: str, body: bytes | None = None) -> str:
        def fetch():
            with urlopen(Request(self.base + path, body, {"Content-Type": "application/json"})) as answer:
                return answer.read().decode()
        return await asyncio.to_thread(fetch)
