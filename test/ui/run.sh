#!/usr/bin/env bash
#
# Checks the dashboard's source, runs its tests, builds it, and compares what was
# built with what is committed:
#
#	test/ui/run.sh
#
# It installs what it needs beside that source, once, in node_modules.
#
# NEXUS_SKIP_UI=1    do nothing

set -euo pipefail
cd "$(dirname "$0")"
suite=ui
source ../kit.sh

setup node npm
node_at_least 20 || die "Node.js 20 or newer is needed; found $(node --version)"
cd ../../ui
# Some tools come as a package for each platform. The lock file names those of the
# platform it was made on, which "npm ci" takes for a fault.
install_npm install --no-save

# fresh tells whether dist is what the source makes.
fresh() {
	npm run --silent build -- --outDir "$dir/dist" --emptyOutDir >"$dir/build.log" 2>&1 || { cat "$dir/build.log"; return 1; }
	diff -r dist "$dir/dist" && echo "dist is fresh" || { echo 'ui/dist is not what the source makes; run make ui and commit it'; return 1; }
}

# small tells whether what a first visit loads is within its budget, compressed.
small() {
	local bytes
	bytes=$(cat dist/index.html $(grep -oE '(/assets/[^"]+|/theme\.js|/mark\.svg)' dist/index.html | sed 's|^|dist|') | gzip -9 | wc -c)
	echo "first load: $bytes bytes compressed"
	((bytes < 250000))
}

part "Types and style" 'Checked' npm run --silent check
part "Unit tests" 'Tests ' npx vitest run --no-color
part "Build" 'fresh' fresh
part "First load" 'bytes' small
finish
