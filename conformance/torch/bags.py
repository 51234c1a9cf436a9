"""Writes bags.jsonl.gz: what PyTorch's embedding_bag makes of random bags, values and gradients.

    DIR/bin/python conformance/torch/bags.py [--seed N] [--cases N] [--out FILE]

The first line of the file names the version and the seed. Each further line is one call in float64 with its inputs,
its output, a random cotangent g, and the gradients of sum(g * output) with respect to the table and the weights.
Offsets begin with 0, as PyTorch wants them, and no two rows have an equal element: PyTorch gives the gradient of a
maximum that two rows share to the first of them, and this library to both.
"""

import argparse
import gzip
import json
import pathlib

import torch
import torch.nn.functional as F

from generate import VERSION, Draw, plain


def bag(mode, weighted, padded, packed, seed, number):
    draw = Draw(seed, f"embedding_bag {mode} {weighted} {padded} {packed}", number)
    rng = draw.rng
    rows, dim = rng.randint(1, 6), rng.randint(1, 20)
    table = torch.tensor(rng.sample(range(-4000, 4000), rows * dim), dtype=torch.float64).reshape(rows, dim) / 1000
    padding = rng.randrange(rows) if padded else None
    if packed:
        shape = [rng.randint(1, 5), rng.randint(1, 5)]
        indices, offsets = draw.indices(shape, rows), None
    else:
        sizes = [rng.choice([0, 1, 2, 3, 6]) for _ in range(rng.randint(1, 6))]
        indices = draw.indices([sum(sizes)], rows)
        offsets = torch.tensor([sum(sizes[:i]) for i in range(len(sizes))], dtype=torch.int64)
    weights = None
    if weighted:
        weights = torch.tensor([rng.randint(-4000, 4000) / 1000 for _ in range(indices.numel())], dtype=torch.float64)
        weights = weights.reshape(indices.shape).requires_grad_()
    table.requires_grad_()
    out = F.embedding_bag(indices, table, offsets, mode=mode, per_sample_weights=weights, padding_idx=padding)
    g = draw.cotangent(out.shape)
    (out * g).sum().backward()
    line = {"mode": mode, "table": plain(table), "indices": plain(indices), "out": plain(out), "cotangent": plain(g), "dtable": plain(table.grad)}
    if offsets is not None:
        line["offsets"] = plain(offsets)
    if padding is not None:
        line["padding"] = padding
    if weights is not None:
        line.update(weights=plain(weights), dweights=plain(weights.grad))
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="cases of each call")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("bags.jsonl.gz"))
    args = parser.parse_args()
    if torch.__version__.split("+")[0] != VERSION:
        parser.error(f"this needs torch {VERSION}, found {torch.__version__}")
    torch.set_num_threads(1)
    lines = [{"torch": VERSION, "seed": args.seed}]
    for mode, weighted in [("sum", False), ("sum", True), ("mean", False), ("max", False)]:
        for padded in [False, True]:
            for packed in [False, True]:
                lines += [bag(mode, weighted, padded, packed, args.seed, number) for number in range(args.cases)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    args.out.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{args.out}: {len(lines) - 1} cases")


if __name__ == "__main__":
    main()
