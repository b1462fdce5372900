#!/usr/bin/env bash
#
# Runs a real browser against the real binary:
#
#	test/browser/run.sh
#
# It installs what it needs: a Debian package, if chromium is missing and that is
# allowed, and the rest beside itself, once, in node_modules. The exit status is 0
# only if everything ran and passed.
#
# NEXUS_CHROMIUM=PATH     the browser to use
# NEXUS_SKIP_BROWSER=1    do nothing

set -euo pipefail
cd "$(dirname "$0")"
suite=browser
source ../kit.sh

# find_chromium finds the browser that is named, or else any.
find_chromium() {
	local name found
	for name in ${NEXUS_CHROMIUM:-chromium google-chrome chromium-browser}; do
		if found=$(command -v "$name"); then
			export NEXUS_CHROMIUM=$found
			return
		fi
	done
	return 1
}

setup node npm
node_at_least 20 || die "Node.js 20 or newer is needed; found $(node --version)"
find_chromium || { [[ -z ${NEXUS_CHROMIUM:-} ]] && install_debian chromium && find_chromium; } ||
	die "chromium is missing; install it, name one in NEXUS_CHROMIUM, or set $skip=1"
install_npm
export NEXUS_DEMO=$dir/demo
go -C ../.. build -o "$NEXUS_DEMO" ./scripts/demo

part "Chromium" '^ *ℹ ' node --test --test-reporter=spec --test-timeout=300000 --test-concurrency=2 *.test.mjs
finish
