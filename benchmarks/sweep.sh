#!/bin/sh
# Measures N random calls that SEED draws, with and without assembly, and writes results/sweep.md and .svg:
#
#	benchmarks/sweep.sh DIR SEED N [flags]
#
# DIR is where run.sh has installed PyTorch and ONNX Runtime, and gets the times as sweep.json and sweep-noasm.json. The
# flags go to both runs; `go run ./cmd/sweep -help` lists them. 1000 calls take some half an hour, on a machine that is idle.
set -eu

if [ $# -lt 3 ]; then
	echo "usage: $0 DIR SEED N [flags]" >&2
	exit 2
fi
dir=$(cd "$1" && pwd)
seed=$2 n=$3
shift 3
cd "$(dirname "$0")"

library=$(../conformance/install.sh "$dir/onnxruntime")
go build -o "$dir/sweep" ./cmd/sweep
go build -tags noasm -o "$dir/sweep-noasm" ./cmd/sweep
"$dir/sweep" -twice -torch "$dir/python/bin/python" -onnxruntime "$library" -json "$dir/sweep.json" "$@" "$seed" "$n" >/dev/null
"$dir/sweep-noasm" -twice -json "$dir/sweep-noasm.json" "$@" "$seed" "$n" >/dev/null
"$dir/sweep" -from "$dir/sweep.json,$dir/sweep-noasm.json" -markdown results/sweep.md -plot results/sweep.svg
