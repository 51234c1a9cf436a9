#!/usr/bin/env bash
# Runs examples/ratings with its workers in processes of their own, which Prism starts
# through the boot program of Beam's Go SDK, and which get their rows and ratings as
# workers on another machine would. It compares with one process, bit for bit, and
# fails unless they are equal. Prism leaves such workers running: they are ended here.
#
#	beam/process-worker.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
end() {
	trap - EXIT
	while read -r worker; do
		kill "$worker" 2>/dev/null || true
	done <"$work/workers"
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
: >"$work/workers"

go build -o "$work/boot" github.com/apache/beam/sdks/v2/go/container
go build -o "$work/ratings" ./examples/ratings

# Prism 2.77 puts quotes around the name of its worker, which no shell takes off.
cat >"$work/start" <<'START'
#!/bin/sh
here=$(dirname "$0")
id=$(printf %s "$1" | tr -d "'")
shift
exec "$here/boot" "$id" "$@" --semi_persist_dir="$here"
START
# What boot starts is this program: it writes down its process, and becomes the worker.
cat >"$work/worker" <<WORKER
#!/bin/sh
echo \$\$ >>"$work/workers"
exec "$work/ratings" "\$@"
WORKER
chmod +x "$work/start" "$work/worker"

cd "$work" # where boot leaves files
"$work/ratings" -out "$work/out" -runner prism -worker_binary "$work/worker" \
	-environment_type PROCESS -environment_config "{\"command\": \"$work/start\"}" >"$work/report" 2>&1 </dev/null ||
	{ cat "$work/report"; exit 1; }
grep 'bit for bit' "$work/report"
printf '%d workers in processes of their own\n' "$(wc -l <"$work/workers")"
