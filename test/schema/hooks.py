"""Gives random calls names of things that exist, so that they get further than NOT_FOUND."""

import hashlib
import json
import os
import sys

import schemathesis

# Python 3.11 loses count of how deep its own parser is when a deep value runs into
# the limit meanwhile, and then refuses to parse anything.
sys.setrecursionlimit(20_000)

with open(os.environ["NEXUS_TEST_KNOWN"]) as f:
    KNOWN = json.load(f)

PROJECT = KNOWN["project_root"][0]
MISSING = 3  # one in so many stays as it was made


@schemathesis.hook
def before_call(context, case, kwargs):
    for arguments in (case.body, case.path_parameters, case.query):
        if isinstance(arguments, dict):
            fill(arguments)


def fill(arguments: dict):
    # What a call becomes depends on nothing but the call.
    luck = int.from_bytes(hashlib.sha256(repr(sorted(arguments.items(), key=repr)).encode()).digest()[:8], "big")
    for name, value in arguments.items():
        known = KNOWN.get(name) or KNOWN.get(name.removesuffix("s"))
        if isinstance(value, str) and name == "project_root" and os.path.isdir(value):
            arguments[name] = PROJECT  # calls must not write into directories of others
        elif known and luck % MISSING:
            pick = known[luck % len(known)]
            if isinstance(value, list) and not isinstance(pick, list):
                pick = [pick]
            if isinstance(value, type(pick)):
                arguments[name] = pick
        luck //= 7
