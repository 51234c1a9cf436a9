"""Writes vectors.jsonl.gz: what PyTorch makes of random gathers and scatters, values and gradients.

    python3 -m venv DIR && DIR/bin/pip install torch==2.15.0
    DIR/bin/python conformance/torch/generate.py [--seed N] [--cases N] [--out FILE]

The first line of the file names the version and the seed. Each further line is one call in float64 with its inputs,
its output, a random cotangent g, and the gradients of sum(g * output) with respect to data and updates. A NaN is
written as null. The inputs are drawn with Python's own generator, so they do not depend on PyTorch's version, and a
new version changes the file only where its results changed.
"""

import argparse
import gzip
import json
import math
import pathlib
import random

import torch

VERSION = "2.15.0"


def product(shape):
    return math.prod(shape)


class Draw:
    """Draws the inputs of one case."""

    def __init__(self, seed, op, number):
        self.rng = random.Random(f"{seed} {op} {number}")
        # ties and zeros matter to the gradients of min, max and prod, smooth values to all the rest; a few cases
        # hold NaNs.
        self.kind = self.rng.choice(["coarse", "coarse", "smooth", "smooth", "nan"] if number % 10 == 0 else ["coarse", "smooth"])

    def shape(self, low, high):
        return [self.rng.randint(1, 5) for _ in range(self.rng.randint(low, high))]

    def number(self):
        if self.kind == "smooth":
            return self.rng.randint(-4000, 4000) / 1000
        if self.kind == "nan" and self.rng.random() < 0.15:
            return math.nan
        return float(self.rng.randint(-2, 2))

    def values(self, shape):
        return torch.tensor([self.number() for _ in range(product(shape))], dtype=torch.float64).reshape(shape)

    def cotangent(self, shape):
        numbers = [self.rng.choice([-1, 1]) * self.rng.randint(1, 24) / 8 for _ in range(product(shape))]
        return torch.tensor(numbers, dtype=torch.float64).reshape(shape)

    def indices(self, shape, size):
        return torch.tensor([self.rng.randrange(size) for _ in range(product(shape))], dtype=torch.int64).reshape(shape)

    def elements_indices(self, shape, axis):
        """Indices of gather and scatter: no larger than data, except along axis."""
        dims = [self.rng.randint(1, 2 * d) if d_axis == axis else self.rng.choice([d, d, self.rng.randint(1, d)])
                for d_axis, d in enumerate(shape)]
        return self.indices(dims, shape[axis])

    def tuples(self, shape):
        """A list of tuples, each of which names an element or a slice of data."""
        k = self.rng.randint(1, len(shape))
        lead = self.shape(1, 2)
        return torch.stack([self.indices(lead, shape[j]) for j in range(k)], dim=-1), lead + shape[k:]


def index_select(draw, call):
    shape = draw.shape(1, 3)
    axis = draw.rng.randrange(len(shape))
    call.update(axis=axis, data=draw.values(shape), indices=draw.indices(draw.shape(1, 1), shape[axis]))
    call["out"] = lambda x, w: torch.index_select(x, axis, call["indices"])


def index(draw, call):
    shape = draw.shape(1, 3)
    axis = draw.rng.randrange(len(shape))
    call.update(axis=axis, data=draw.values(shape), indices=draw.indices(draw.shape(0, 2), shape[axis]))
    call["out"] = lambda x, w: x[(slice(None),) * axis + (call["indices"],)]


def gather(draw, call):
    shape = draw.shape(1, 3)
    axis = draw.rng.randrange(len(shape))
    call.update(axis=axis, data=draw.values(shape), indices=draw.elements_indices(shape, axis))
    call["out"] = lambda x, w: torch.gather(x, axis, call["indices"])


def index_nd(draw, call):
    shape = draw.shape(1, 3)
    indices, _ = draw.tuples(shape)
    call.update(data=draw.values(shape), indices=indices)
    call["out"] = lambda x, w: x[indices.unbind(-1)]


def scatter(apply):
    def make(draw, call):
        shape = draw.shape(1, 3)
        axis = draw.rng.randrange(len(shape))
        indices = draw.elements_indices(shape, axis)
        call.update(axis=axis, data=draw.values(shape), indices=indices, updates=draw.values(indices.shape))
        call["out"] = lambda x, w: apply(x, axis, indices, w)

    return make


def index_put(accumulate):
    def make(draw, call):
        shape = draw.shape(1, 3)
        indices, updates = draw.tuples(shape)
        call.update(data=draw.values(shape), indices=indices, updates=draw.values(updates))
        call["out"] = lambda x, w: x.index_put(indices.unbind(-1), w, accumulate=accumulate)

    return make


def index_copy(draw, call):
    shape = draw.shape(1, 3)
    axis = draw.rng.randrange(len(shape))
    indices = draw.indices(draw.shape(1, 1), shape[axis])
    updates = shape[:axis] + list(indices.shape) + shape[axis + 1:]
    call.update(axis=axis, data=draw.values(shape), indices=indices, updates=draw.values(updates))
    call["out"] = lambda x, w: torch.index_copy(x, axis, indices, w)


def scatter_reduce(reduce, include_self):
    return scatter(lambda x, axis, indices, w: torch.scatter_reduce(x, axis, indices, w, reduce, include_self=include_self))


CALLS = [
    ("index_select", {}, index_select),
    ("index", {}, index),
    ("gather", {}, gather),
    ("index_nd", {}, index_nd),
    ("scatter", {}, scatter(torch.scatter)),
    ("scatter_add", {}, scatter(torch.scatter_add)),
    ("index_put", {}, index_put(False)),
    ("index_put_add", {}, index_put(True)),
    ("index_copy", {}, index_copy),
] + [
    ("scatter_reduce", {"reduce": reduce, "include_self": include_self}, scatter_reduce(reduce, include_self))
    for reduce in ["sum", "prod", "mean", "amax", "amin"]
    for include_self in [True, False]
]


def plain(tensor):
    """A tensor as JSON: shape and values, a NaN as null."""
    values = tensor.detach().reshape(-1).tolist()
    if tensor.dtype == torch.float64:
        values = [None if math.isnan(v) else int(v) if v == int(v) and str(v)[0] != "-" else v for v in values]
    return {"shape": list(tensor.shape), "values": values}


def run(op, options, make, seed, number):
    name = "/".join([op, *map(str, options.values())])
    draw, call = Draw(seed, name, number), {}
    make(draw, call)
    x = call["data"].requires_grad_()
    w = call["updates"].requires_grad_() if "updates" in call else None
    out = call.pop("out")(x, w)
    g = draw.cotangent(out.shape)
    (out * g).sum().backward()
    line = {"op": op, **options, "axis": call.get("axis", 0)}
    for key in ["data", "indices", "updates"]:
        if key in call:
            line[key] = plain(call[key])
    line.update(out=plain(out), cotangent=plain(g), ddata=plain(x.grad))
    if w is not None:
        line["dupdates"] = plain(w.grad)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=120, help="cases of each call")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("vectors.jsonl.gz"))
    args = parser.parse_args()
    if torch.__version__.split("+")[0] != VERSION:
        parser.error(f"this needs torch {VERSION}, found {torch.__version__}")
    torch.set_num_threads(1)
    lines = [{"torch": VERSION, "seed": args.seed}]
    for op, options, make in CALLS:
        lines += [run(op, options, make, args.seed, number) for number in range(args.cases)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    # No time stamp and no name in the header, so that equal vectors are equal files.
    args.out.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{args.out}: {len(lines) - 1} cases")


if __name__ == "__main__":
    main()
