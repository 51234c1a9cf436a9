#!/usr/bin/env bash
# Runs the tests of package gatherbeam on a second, independent runner: the job
# server of Apache Beam's Python SDK, with this program as its worker. They compare
# with package dense, bit for bit, as they do on Prism.
#
#	beam/second-runner.sh [CASES]
#
# CASES is how many random cases an operator are compared, by default 200. It needs
# python3 with venv and pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
server=
end() {
	trap - EXIT
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

python=${BEAM_PYTHON:-}
if [ -z "$python" ]; then
	python3 -m venv "$work/venv"
	python=$work/venv/bin/python
	"$python" -m pip install --quiet --disable-pip-version-check apache-beam==2.77.0
fi

go test -c -o "$work/gatherbeam.test" .
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
"$python" -m apache_beam.runners.portability.local_job_service_main --port "$port" >"$work/server.log" 2>&1 &
server=$!
tries=60
until (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null; do
	if [ $((tries -= 1)) = 0 ] || ! kill -0 "$server" 2>/dev/null; then
		cat "$work/server.log"
		exit 1
	fi
	sleep 0.5
done
"$work/gatherbeam.test" -test.run 'Random$|ReadWrite$' -test.v -beamcases "${1:-200}" \
	--runner=universal --endpoint="localhost:$port" --environment_type=LOOPBACK
