#!/usr/bin/env bash
#
# Holds a real hub to its OpenAPI document:
#
#	test/schema/run.sh
#
# It installs what it needs beside itself, once, in .venv. The exit status is 0
# only if everything ran and passed.
#
# NEXUS_SKIP_SCHEMA=1    do nothing

set -euo pipefail
cd "$(dirname "$0")"
suite=schema
source ../kit.sh

setup python3
install_python 1

part "OpenAPI document" '^(Ran [1-9]|OK$|  [0-9]+ generated)' .venv/1/bin/python -m unittest -v test_schema
finish
