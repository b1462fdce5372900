#!/usr/bin/env bash
#
# Runs a real browser against the real binary:
#
#	test/browser/run.sh
#
# It installs what it needs: the Debian package of the browser it likes best, if
# that is missing and allowed, and the rest beside itself, once, in node_modules.
# The exit status is 0 only if everything ran and passed.
#
# NEXUS_CHROMIUM=PATH     the browser to use
# NEXUS_SKIP_BROWSER=1    do nothing

set -euo pipefail
cd "$(dirname "$0")"
suite=browser
source ../kit.sh

# find_chromium finds the browser to use: the one that is named, or else one that
# has no windows. That needs half the time of one that hides them.
find_chromium() {
	local lean=chromium-headless-shell
	if [[ -n ${NEXUS_CHROMIUM:-} ]]; then
		use "$NEXUS_CHROMIUM"
		return
	fi
	use $lean || { install_debian $lean && use $lean; } ||
		use chromium || use google-chrome || use chromium-browser ||
		{ install_debian chromium && use chromium; }
}

# use takes a browser if it is there.
use() {
	local found
	found=$(command -v "$1") && export NEXUS_CHROMIUM=$found
}

setup node npm
node_at_least 20 || die "Node.js 20 or newer is needed; found $(node --version)"
find_chromium || die "chromium is missing; install it, name one in NEXUS_CHROMIUM, or set $skip=1"
install_npm
export NEXUS_DEMO=$dir/demo
go -C ../.. build -o "$NEXUS_DEMO" ./scripts/demo

part "Chromium" '^ *ℹ ' node --test --test-reporter=spec --test-timeout=300000 --test-concurrency=3 *.test.mjs
finish
