#!/usr/bin/env bash
#
# Proves that a release depends on its commit and nothing else: makes it twice,
# from two new checkouts in different places, the second time with nothing in
# Go's cache, and compares every byte.
#
#	scripts/release-check.sh [TARGET...]
#
# TARGET is linux/amd64 by default. What is not committed is not looked at.

set -euo pipefail
cd "$(dirname "$0")/.."

targets=${*:-linux/amd64}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# checkout NAME makes a clone of its own: a worktree would share its files.
checkout() {
	git clone --quiet --no-hardlinks . "$dir/$1"
	git -C "$dir/$1" checkout --quiet --detach "$commit"
}

# release NAME [VARIABLE=VALUE...] makes the release of a checkout.
release() {
	local name=$1
	shift
	(cd "$dir/$name" && env "$@" go run ./scripts/release -targets "$targets" -out "$dir/$name.out")
}

commit=$(git rev-parse HEAD)
checkout one
checkout another/deeper
release one
release another/deeper GOCACHE="$dir/cache" TZ=Pacific/Chatham LC_ALL=C

diff -r "$dir/one.out" "$dir/another/deeper.out"
(cd "$dir/one.out" && sha256sum --check --quiet SHA256SUMS)
cat "$dir/one.out/SHA256SUMS"
echo "The same bytes twice."
