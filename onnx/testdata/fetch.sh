#!/bin/sh
# Fetches ONNX's own node tests of the gather and scatter operators, and of those
# that package onnx/builders has, for TestNodeTests: the Python
# package onnx, at the version that requirements.txt pins, holds their
# definitions, and nodetests.py writes them out as files.
#
#	onnx/testdata/fetch.sh FOLDER
#
# prints the line that makes the tests use them. Needs python3 (or another one
# that PYTHON names) with pip. A folder that is complete is left as it is.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: $0 FOLDER" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
python=${PYTHON:-python3}

# The list of packages and the script are copied last, so that they stand there only
# after everything else does, and tell which versions did it.
if ! cmp -s "$here/requirements.txt" "$folder/requirements.txt" || ! cmp -s "$here/nodetests.py" "$folder/nodetests.py"; then
	rm -rf "$folder/packages" "$folder/data"
	"$python" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --only-binary :all: \
		--target "$folder/packages" -r "$here/requirements.txt" >&2
	PYTHONPATH="$folder/packages" "$python" -W ignore "$here/nodetests.py" "$folder/data" >&2
	cp "$here/requirements.txt" "$here/nodetests.py" "$folder/"
fi
echo "export ONNX_NODE_TESTS='$folder/data'"
