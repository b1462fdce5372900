#!/usr/bin/env bash
#
# Runs groups of make targets at the same time, each group in its order:
#
#	scripts/side-by-side.sh 'first second' third
#
# What the first group prints is seen as it comes, what the others print when they
# have ended. The exit status is 0 only if all groups passed.

set -uo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'kill 0; exit 130' INT TERM

make=${MAKE:-make}
running=()
for group in "${@:2}"; do
	# shellcheck disable=SC2086 # a group is several words
	$make $group >"$dir/${#running[@]}" 2>&1 &
	running+=($!)
done

failed=()
# shellcheck disable=SC2086
$make $1 || failed+=("$1")
for i in "${!running[@]}"; do
	wait "${running[$i]}" || failed+=("${*:i+2:1}")
	cat "$dir/$i"
done

if ((${#failed[@]} > 0)); then
	printf 'make: failed: %s\n' "${failed[@]}" >&2
	exit 1
fi
