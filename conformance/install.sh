#!/bin/sh
# Installs the ONNX Runtime that the differential test compares with into DIR and prints the path of its shared
# library, and nothing else, on standard output:
#
#	export ONNXRUNTIME_LIB="$(conformance/install.sh DIR)"
#
# The library is the one inside the npm package onnxruntime-node. --ignore-scripts keeps the package from fetching
# anything on its own: its CPU library is part of the package.
set -eu

version=1.30.0

if [ $# -ne 1 ]; then
	echo "usage: $0 DIR" >&2
	exit 2
fi
case "$(uname -s)/$(uname -m)" in
Linux/x86_64) platform=linux/x64/libonnxruntime.so.1 ;;
Linux/aarch64) platform=linux/arm64/libonnxruntime.so.1 ;;
*)
	echo "$0: onnxruntime-node $version has no library that this script knows for $(uname -s)/$(uname -m)" >&2
	exit 1
	;;
esac

mkdir -p "$1"
dir=$(cd "$1" && pwd)
package=$dir/node_modules/onnxruntime-node
if ! grep -q "\"version\": \"$version\"" "$package/package.json" 2>/dev/null; then
	npm install --prefix "$dir" --ignore-scripts --no-audit --no-fund --loglevel=error \
		"onnxruntime-node@$version" >&2
fi
lib=$package/bin/napi-v6/$platform
if [ ! -f "$lib" ]; then
	echo "$0: $lib is missing from the package" >&2
	exit 1
fi
echo "$lib"
