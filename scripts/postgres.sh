#!/usr/bin/env bash
#
# Runs a command with a PostgreSQL server of its own:
#
#	scripts/postgres.sh run CMD [ARG...]
#
# CMD finds the server's address in NEXUS_TEST_POSTGRES. The server lives in a
# new temporary directory, listens on a unix socket there and nowhere else, and
# is gone when CMD ends, whichever way this script ends. The exit status is that
# of CMD. Any number of these may run at once.
#
# NEXUS_TEST_POSTGRES=url    use this server and start none
# NEXUS_TEST_PG_FSYNC=on     write durably, as a benchmark needs it (default off)
# NEXUS_TEST_PG_DIR=dir      where to make the temporary directory (default /tmp)

set -euo pipefail

needed=(initdb pg_ctl postgres createdb)
server_user=
dir=

say() { echo "postgres.sh: $*" >&2; }

# bindir prints the first directory that has every program we need. What is in
# PATH wins; a lone wrapper in PATH is passed over.
bindir() {
	local d p IFS=$'\n'
	for d in $(candidates); do
		for p in "${needed[@]}"; do
			[[ -x $d/$p ]] || continue 2
		done
		echo "$d"
		return
	done
	return 1
}

candidates() {
	tr : '\n' <<<"$PATH"
	pg_config --bindir 2>/dev/null || true
	{ ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
		/opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin 2>/dev/null || true; } | sort -Vr
}

install() {
	[[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
	say "PostgreSQL is missing: installing the Debian package"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update >&2 &&
		apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends postgresql >&2
}

# as_server runs a program as the user who owns the server: PostgreSQL refuses
# to run as root.
as_server() (
	exec 9>&-
	cd "$dir"
	if [[ -z $server_user ]]; then
		exec "$@"
	elif command -v runuser >/dev/null; then
		exec runuser -u "$server_user" -- "$@"
	else
		exec su -s /bin/sh "$server_user" -c 'exec "$@"' -- sh "$@"
	fi
)

# guard takes the server down when the script is gone. It waits for the end of a
# pipe that only the script holds open, so even kill -9 leaves nothing behind.
guard() {
	trap '' INT TERM HUP
	cat >/dev/null
	as_server "$bin/pg_ctl" stop -D "$dir/data" -m immediate -w >/dev/null 2>&1 || true
	rm -rf "$dir"
}

start() {
	if [[ $EUID == 0 ]]; then
		server_user=postgres
		id postgres >/dev/null 2>&1 || server_user=nobody
	fi
	# Short, because a socket's path is limited to about 100 characters.
	dir=$(mktemp -d "${NEXUS_TEST_PG_DIR:-/tmp}/nexus-pg.XXXXXX")
	[[ -z $server_user ]] || chown "$server_user" "$dir"
	mkfifo "$dir/alive"
	guard <"$dir/alive" &
	guard=$!
	exec 9>"$dir/alive"

	as_server "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-locale -N >"$dir/log" 2>&1 || fail
	cat >>"$dir/data/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$dir'
		port = 5432
		max_connections = 200
		fsync = ${NEXUS_TEST_PG_FSYNC:-off}
		full_page_writes = ${NEXUS_TEST_PG_FSYNC:-off}
	CONF
	as_server "$bin/pg_ctl" start -D "$dir/data" -l "$dir/data/log" -w -t 60 >>"$dir/log" 2>&1 || fail
	as_server "$bin/createdb" -h "$dir" -U postgres nexus_test >>"$dir/log" 2>&1 || fail
	export NEXUS_TEST_POSTGRES="postgres://postgres@/nexus_test?host=$dir&port=5432"
}

fail() {
	say "the server did not start:"
	tail -n 20 "$dir/log" "$dir/data/log" >&2 2>/dev/null || true
	exit 1
}

# stop closes the guard's pipe and waits until it has cleaned up.
stop() {
	exec 9>&-
	[[ -z ${guard:-} ]] || wait "$guard" || true
}

# supervise runs CMD in a process group of its own, so that a signal to the
# script ends CMD with all its children.
supervise() {
	local signal= status=0
	"$@" <&0 9>&- &
	local cmd=$!
	set +m # or bash would report how the job ended
	trap 'signal=2; kill -INT -- "-$cmd" 2>/dev/null || true' INT
	trap 'signal=15; kill -TERM -- "-$cmd" 2>/dev/null || true' TERM
	trap 'signal=1; kill -HUP -- "-$cmd" 2>/dev/null || true' HUP
	# A signal interrupts wait, so wait again until CMD is really gone.
	while
		status=0
		wait "$cmd" 2>/dev/null || status=$?
		kill -0 "$cmd" 2>/dev/null
	do :; done
	if [[ -n $signal ]]; then
		kill -KILL -- "-$cmd" 2>/dev/null || true
		status=$((128 + signal))
	fi
	return "$status"
}

if [[ ${1:-} != run || $# -lt 2 ]]; then
	say "usage: scripts/postgres.sh run CMD [ARG...]"
	exit 2
fi
shift

if [[ -n ${NEXUS_TEST_POSTGRES:-} ]]; then
	exec "$@"
fi

if ! bin=$(bindir); then
	if ! install || ! bin=$(bindir); then
		say "PostgreSQL is missing: install its server (Debian: apt-get install postgresql," \
			"macOS: brew install postgresql), or set NEXUS_TEST_POSTGRES=url to use a running one"
		exit 1
	fi
fi

unset "${!PG@}" # a PGPORT or PGSERVICE from outside would lead astray
set -m          # background jobs get process groups of their own
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
start
supervise "$@"
