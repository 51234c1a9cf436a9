#!/bin/sh
# Installs all that is compared into DIR, and measures:
#
#	benchmarks/run.sh DIR [flags]
#
# The flags go to the run of the cases; `go run . -help` lists them. DIR then holds benchmarks.json, .md, .svg and .png,
# a chart of each group, and, where no flags choose cases, scaling.json, .md, .svg and .png. It needs Go, a C compiler,
# npm, and python3 with venv; 7 GB of disk, most of it for PyTorch, and 8 GB of memory. The second run of the same DIR
# installs nothing.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 DIR [flags]" >&2
	exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"

library=$(../conformance/install.sh "$dir/onnxruntime")

python=$dir/python
if ! cmp -s requirements.txt "$python/installed.txt"; then
	echo "installing PyTorch and OpenVINO, several gigabytes" >&2
	python3 -m venv "$python"
	"$python/bin/pip" install -r requirements.txt >&2
	cp requirements.txt "$python/installed.txt"
fi

go build -o "$dir/benchmarks" .
go build -tags noasm -o "$dir/benchmarks-noasm" .

echo "the cases" >&2
"$dir/benchmarks" -onnxruntime "$library" -torch "$python/bin/python" -openvino "$python/bin/python" \
	-noasm "$dir/benchmarks-noasm" -tmp "$dir" \
	-json "$dir/benchmarks.json" -markdown "$dir/benchmarks.md" -svg "$dir/benchmarks.svg" "$@"

# Who asks for some of the cases, or for less of them, does not wait for this.
if [ $# -gt 0 ]; then
	exit
fi
echo "time against size" >&2
"$dir/benchmarks" -scaling -rounds 5 -onnxruntime "$library" \
	-json "$dir/scaling.json" -markdown "$dir/scaling.md" -svg "$dir/scaling.svg"
