#!/usr/bin/env python3
"""Makes the vectors which package openvino is tested against.

    python3 -m venv VENV && VENV/bin/pip install -r requirements.txt
    VENV/bin/python generate.py ../../openvino/testdata/vectors

Each operator version gets a file of JSON lines, compressed. The first line
says what made it; each further line is a case: the layer as IR text, the input
tensors and what OpenVINO's CPU device answered, a tensor or an error. Elements
are base64 of their little-endian memory, strings are plain.

The cases follow from SEED alone. Every one is run in two worker processes, in
opposite order: an answer that depends on what happens to lie in memory makes
the two differ, and ends the program.
"""

import argparse
import base64
import gzip
import io
import json
from pathlib import Path

import numpy as np

import bags
import gathers
import scatters
from device import Device
from ir import Tensor, layer

SEED = 20240229

OPERATORS = {
    "Gather-1": lambda rng: gathers.gather(rng, 1),
    "Gather-7": lambda rng: gathers.gather(rng, 7),
    "Gather-8": lambda rng: gathers.gather(rng, 8),
    "GatherElements-6": gathers.gather_elements,
    "GatherND-5": lambda rng: gathers.gather_nd(rng, 5),
    "GatherND-8": lambda rng: gathers.gather_nd(rng, 8),
    "GatherTree-1": gathers.gather_tree,
    "ScatterUpdate-3": scatters.scatter_update,
    "ScatterElementsUpdate-3": lambda rng: scatters.scatter_elements_update(rng, 3),
    "ScatterElementsUpdate-12": lambda rng: scatters.scatter_elements_update(rng, 12),
    "ScatterNDUpdate-3": lambda rng: scatters.scatter_nd_update(rng, 3),
    "ScatterNDUpdate-15": lambda rng: scatters.scatter_nd_update(rng, 15),
    "EmbeddingBagOffsetsSum-3": lambda rng: bags.embedding_bag_offsets(rng, 3),
    "EmbeddingBagOffsets-15": lambda rng: bags.embedding_bag_offsets(rng, 15),
    "EmbeddingBagPackedSum-3": lambda rng: bags.embedding_bag_packed(rng, 3),
    "EmbeddingBagPacked-15": lambda rng: bags.embedding_bag_packed(rng, 15),
    "EmbeddingSegmentsSum-3": bags.embedding_segments,
    "SegmentMax-16": bags.segment_max,
}


def main():
    parser = argparse.ArgumentParser(description="Makes the vectors which package openvino is tested against.")
    parser.add_argument("folder", type=Path, help="where the files go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    version = openvino_version()
    for number, (operator, make) in enumerate(OPERATORS.items()):
        cases = list(make(np.random.default_rng([SEED, number])))
        answers = answer_twice(cases)
        head = {"operator": operator, "openvino": version, "seed": SEED, "cases": len(cases)}
        lines = [head] + [line(case, answer) for case, answer in zip(cases, answers)]
        size = write(folder / f"{operator}.jsonl.gz", lines)
        errors = sum(isinstance(answer, str) for answer in answers)
        print(f"{operator}: {len(cases)} cases, {errors} of them errors, {size} bytes")


def openvino_version():
    import importlib.metadata

    return importlib.metadata.version("openvino")


def answer_twice(cases):
    answers = []
    for order in (cases, cases[::-1]):
        device = Device()
        try:
            answers.append([device.run(case) for case in order])
        finally:
            device.close()
    moody = [
        case for case, first, second in zip(cases, answers[0], answers[1][::-1]) if encode(first) != encode(second)
    ]
    if moody:
        raise RuntimeError("OpenVINO answers differently when asked again:\n" + "\n".join(map(str, moody)))
    return answers[0]


def line(case, answer):
    """A case as a line of the file."""
    made = {
        "what": case.what,
        "layer": layer(case, output=answer.shape if isinstance(answer, Tensor) else None),
        "inputs": [encode(t) for t in case.inputs],
    }
    made["error" if isinstance(answer, str) else "output"] = encode(answer)
    return made


def encode(answer):
    if isinstance(answer, str):
        return answer
    made = {"type": answer.element, "shape": list(answer.shape)}
    if answer.element == "string":
        made["strings"] = [str(s) for s in answer.values.flat]
    else:
        made["data"] = base64.b64encode(np.ascontiguousarray(answer.values).tobytes()).decode()
    return made


def write(path, lines):
    """Writes the lines, compressed and without a date, and returns the size."""
    text = "".join(json.dumps(made, separators=(",", ":")) + "\n" for made in lines)
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as file:
        file.write(text.encode())
    return path.write_bytes(buffer.getvalue())


if __name__ == "__main__":
    main()
