#!/usr/bin/env bash
#
# Runs every fuzz test of the module, one after the other:
#
#	scripts/fuzz.sh [TIME]
#
# TIME is what each gets, 20s by default. The first failure ends the run; Go
# leaves the input that caused it in the package's testdata/fuzz.

set -euo pipefail
cd "$(dirname "$0")/.."

# "go test -list" prints a package's tests, then a line with its name.
tests=$(go test -list '^Fuzz' ./... | awk '
	/^Fuzz/ { names[++n] = $1 }
	/^ok/   { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }')

if [[ -z $tests ]]; then
	echo "There are no fuzz tests." >&2
	exit 1
fi

while read -r package name; do
	echo "== $package $name"
	# Left to itself Go spends most of the time on making inputs shorter.
	go test -run '^$' -fuzz "^$name\$" -fuzztime "${1:-20s}" -fuzzminimizetime 100x "$package" </dev/null
done <<<"$tests"
