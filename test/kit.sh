# What the runners beside this file have in common. A runner names itself in
# $suite, reads this, and calls setup. All are run from their own directories.

dir=
skip=NEXUS_SKIP_${suite^^}
failed=()

say() { echo "$suite: $*" >&2; }

die() {
	say "$@"
	exit 1
}

need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || die "$program is missing; install it, or set $skip=1"
	done
}

# setup ends the run where it is to be skipped, and builds the binary otherwise.
setup() {
	if [[ ${!skip:-} == 1 ]]; then
		say "skipped, as $skip says"
		exit 0
	fi
	need go "$@"
	trap cleanup EXIT
	trap 'exit 130' INT TERM
	dir=$(mktemp -d)
	export NEXUS_TEST_DIR=$dir NEXUS_BINARY=$dir/nexus PYTHONDONTWRITEBYTECODE=1
	go -C ../.. build -o "$NEXUS_BINARY" ./cmd/nexus
}

cleanup() { [[ -z $dir ]] || rm -rf "$dir"; }

# node_at_least tells whether the installed Node.js is new enough.
node_at_least() { (($(node -p 'parseInt(process.versions.node)') >= $1)); }

# install_npm installs what the lock file says, unless that was done. Its
# arguments, if any, stand for "ci".
install_npm() {
	[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm "${@:-ci}" --loglevel=error >/dev/null
}

# install_python makes .venv/$1 with what requirements-$1.txt lists.
install_python() {
	local venv=.venv/$1 wanted=requirements-$1.txt
	! cmp -s "$wanted" "$venv/installed.txt" || return 0
	python3 -c 'import ensurepip, venv' 2>/dev/null || install_debian python3-venv ||
		die "Python's venv module is missing; install python3-venv"
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
	cp "$wanted" "$venv/installed.txt"
}

# install_debian installs a package where we may.
install_debian() {
	[[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
	say "$1 is missing: installing the Debian package"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update >&2 &&
		apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$1" >&2
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

# finish fails the run if a part of it failed.
finish() {
	((${#failed[@]} == 0)) || die "failed: $(IFS=, && echo "${failed[*]}")"
}
