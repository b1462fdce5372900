"""A hub answers as its OpenAPI document says: what went well, and what it refuses."""

import asyncio
import json
import os
import sys
import unittest
from pathlib import Path

import schemathesis
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "clients"))

from hub import Hub, new_home  # noqa: E402

# Nothing that a random call changes may make the calls after it slow or useless.
FLAGS = ("--max-wait-timeout-seconds", "0", "--trust-mode", "open")
CHECKS = [schemathesis.checks.not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


class Story:
    """Two agents at work. Every answer is checked, and what it names is kept by the name of the argument."""

    def __init__(self, base: str, project: str):
        self.schema = schemathesis.openapi.from_url(base + "/api/v1/openapi.json")
        self.project = project
        self.known = {"project_root": [project]}

    def ask(self, method: str, path: str, body: dict | None = None, **more):
        if body is not None:
            more |= {"body": body, "media_type": "application/json"}
        case = self.schema["/api/v1" + path][method].Case(**more)
        response = case.call_and_validate(checks=CHECKS)
        answer = response.json()
        if not answer["ok"]:
            raise AssertionError(f"{method} {path}: {response.text}")
        return answer["data"]

    def op(self, name: str, /, **arguments):
        return self.ask("POST", "/op/" + name, arguments)

    def at(self, name: str, /, **arguments):
        return self.op(name, project_root=self.project, **arguments)

    def keep(self, **found):
        for name, value in found.items():
            self.known.setdefault(name, []).append(value)

    def tell(self):
        self.people()
        self.mail()
        self.work()
        self.tasks_and_things()
        self.directory()
        self.hub()

    def people(self):
        workspace = self.op("workspace_resolve", project_root=self.project, display_name="Home")["workspace_id"]
        self.keep(workspace_id=workspace)
        for agent in ("ann", "bob"):
            self.op("agent_register", agent_id=agent, role="worker", capabilities=["go"], metadata={"x": None})
            session = self.op("session_open", agent_id=agent, workspace_id=workspace)
            self.op("session_heartbeat", session_id=session["session_id"])
            self.keep(agent_id=agent, from_agent_id=agent, session_id=session["session_id"])
        self.op("agent_register", agent_id="nobody")
        for name in ("nexus_info", "workspace_list", "agent_list", "capability_list", "agent_directory"):
            self.op(name)
        self.op("agent_get", agent_id="nobody")
        extra = self.op("session_open", agent_id="nobody", workspace_id=workspace)
        self.op("session_close", session_id=extra["session_id"])

    def mail(self):
        to_bob = {"strategy": "direct", "agent_id": "bob"}
        channel = self.at("channel_create", name="news")["channel"]["channel_id"]
        self.at("channel_list")
        for n in range(3):
            sent = self.at("message_create", from_agent_id="ann", subject=f"Number {n}", body="Hello", target=to_bob, channel_id=channel)
            self.keep(message_id=sent["message_id"])
        self.at("message_create", from_agent_id="bob", subject="To all", body="News")
        self.op("inbox_count", agent_id="bob")
        self.op("inbox_peek", agent_id="bob", include_bodies=False)
        self.op("inbox_pull", agent_id="bob", limit=2)
        first, second, _ = self.known["message_id"]
        self.op("inbox_extend", agent_id="bob", message_ids=[first], extend_seconds=60)
        self.op("inbox_ack", agent_id="bob", message_ids=[first, second])
        self.op("inbox_wait", agent_id="bob", timeout_seconds=1)
        self.op("inbox_wait", agent_id="nobody", timeout_seconds=1)
        self.op("inbox_history", agent_id="bob", limit=1)
        self.op("message_status", message_id=first)
        self.keep(channel_id=channel, parent_message_id=first, target=to_bob)

    def offer(self, **more):
        go = {"strategy": "capability", "capability": "go"}
        offered = self.at("handoff_create", from_agent_id="ann", target=go, visibility="public", payload={"do": "it"}, **more)
        self.keep(handoff_id=offered["handoff_id"])
        return {"handoff_id": offered["handoff_id"], "agent_id": "bob"}

    def work(self):
        job = self.offer()
        self.at("handoff_list_available", agent_id="bob")
        self.at("handoff_claim", **job)
        self.at("handoff_renew", **job, lease_seconds=60)
        self.at("handoff_get", **job)
        self.at("handoff_complete", **job, result="Done")
        self.at("handoff_get", **job)
        job = self.offer(acceptance_criteria=["it works"], verify_by={"kind": "creator"})
        self.at("handoff_claim", **job)
        self.at("handoff_complete", **job, result={"a": [1]})
        self.at("handoff_verify", handoff_id=job["handoff_id"], agent_id="ann", verdict="accept")
        job = self.offer(expires_at="2099-01-01T00:00:00Z", priority=3)
        self.at("handoff_claim", **job)
        self.at("handoff_reject", **job, reason="no")
        self.at("handoff_requeue", handoff_id=job["handoff_id"], agent_id="ann")
        self.at("handoff_cancel", handoff_id=job["handoff_id"], agent_id="ann")
        self.offer()

    def tasks_and_things(self):
        task = self.at("task_create", agent_id="ann", title="Write", labels=["doc"], priority=1)["task_id"]
        part = self.at("task_create", agent_id="ann", title="Think", parent_id=task, depends_on=[task], assignee="bob")["task_id"]
        self.at("task_update", agent_id="ann", task_id=part, status="blocked", reason="sleep")
        self.at("task_get", task_id=part)
        self.at("task_list", limit=1)
        self.keep(task_id=task, parent_id=task)
        thing = self.at("artifact_put", artifact_type="text", name="a", content="words", metadata=[1])["artifact_id"]
        (Path(self.project) / "file.txt").write_text("words")
        self.at("artifact_put", artifact_type="file", path="file.txt")
        self.at("artifact_get", artifact_id=thing)
        self.op("shared_md_render", workspace_id=self.known["workspace_id"][0])
        for stream in ("workspace", "handoff", "agent"):
            self.at("event_get", agent_id="ann", stream=stream, limit=3)
        self.at("event_wait", agent_id="ann", stream="workspace", cursor=10**6, timeout_seconds=1)
        self.keep(artifact_id=thing, stream="workspace", artifacts=[thing])

    def directory(self):
        self.key = self.ask("POST", "/agents", {"agent_id": "cay", "scopes": ["read", "write"]})["api_key"]
        cay = {"path_parameters": {"agent_id": "cay"}}
        self.ask("GET", "/agents", query={"limit": 1})
        self.ask("PATCH", "/agents/{agent_id}", {"role": "boss", "permissions": {"messages": {"send_broadcast": False}}}, **cay)
        self.ask("GET", "/agents/{agent_id}", **cay)
        made = self.ask("POST", "/agents/{agent_id}/keys", {"name": "one more", "expires_at": "2099-01-01T00:00:00Z"}, **cay)
        self.ask("GET", "/agents/{agent_id}/keys", **cay)
        self.ask("DELETE", "/agents/{agent_id}/keys/{key_id}", path_parameters={"agent_id": "cay", "key_id": made["key_id"]})
        preset = self.ask("POST", "/presets", {"name": "Quiet", "flags": {"messages": {"send_broadcast": False}}})["preset_id"]
        self.ask("PATCH", "/presets/{preset_id}", {"description": "says little"}, path_parameters={"preset_id": preset})
        self.ask("GET", "/presets")
        self.ask("DELETE", "/presets/{preset_id}", path_parameters={"preset_id": preset})
        self.ask("POST", "/admin/issue-keys", {})
        self.ask("POST", "/admin/prune", {"dry_run": True})
        self.keep(preset_id="builtin:worker")

    def hub(self):
        for path in ("/info", "/me"):
            self.ask("GET", path)
        signed_in = self.ask("POST", "/sign-in", {"api_key": self.key})
        self.ask("GET", "/sign-ins")
        self.ask("DELETE", "/sign-ins/{sign_in_id}", path_parameters={"sign_in_id": signed_in["sign_in_id"]})
        self.ask("POST", "/sign-out")
        self.ask("GET", "/settings")
        self.ask("PATCH", "/settings", {"max_event_limit": 500})
        self.ask("POST", "/settings/reset", {})
        self.ask("POST", "/agents/{agent_id}/regenerate-key", {}, path_parameters={"agent_id": "cay"})
        self.ask("DELETE", "/agents/{agent_id}", path_parameters={"agent_id": "cay"})


class Schema(unittest.IsolatedAsyncioTestCase):
    async def test_story_then_anything(self):
        """First what agents do every day, then random calls around what that left behind."""
        home = Path(new_home())
        project = home / "project"
        project.mkdir()
        async with Hub(str(home), *FLAGS) as hub:
            story = Story(hub.base, str(project))
            await asyncio.to_thread(story.tell)
            (home / "known.json").write_text(json.dumps(story.known))
            status = await self.fuzz(hub.base, home)
        self.assertEqual(status, 0, "schemathesis found something, see above")

    async def fuzz(self, base: str, home: Path) -> int:
        run = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "schemathesis.cli", "run", base + "/api/v1/openapi.json",
            "--checks", ",".join([check.__name__ for check in CHECKS] + ["unsupported_method", "allow_header_conformance"]),
            "--phases", "coverage,fuzzing", "--max-examples", "5", "--seed", "1", "--workers", "2",
            "--exclude-path", "/api/v1/stream",  # it does not end; serve and test/browser follow it
            "--warnings", "off", "--no-color", "--generation-database", "none",
            cwd=home,
            env={**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "hooks", "NEXUS_TEST_KNOWN": str(home / "known.json")},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await run.communicate()
        print(said.decode(), file=sys.stderr)
        return run.returncode
