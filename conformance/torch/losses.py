"""Writes losses.jsonl.gz: what PyTorch's cross_entropy and nll_loss make of random scores, values and gradients.

    DIR/bin/python conformance/torch/losses.py [--seed N] [--cases N] [--out FILE]

The first line of the file names the version and the seed. Each further line is one call in float64 with its inputs,
its output, a random cotangent g, and the gradient of sum(g * output) with respect to the scores. ignore_index is one
of the classes, one that has no scores, or PyTorch's own, -100. A NaN is written as null: the mean of no examples.
"""

import argparse
import gzip
import json
import pathlib

import torch
import torch.nn.functional as F

from generate import VERSION, Draw, plain


def loss(name, weighted, smoothed, reduction, seed, number):
    draw = Draw(seed, f"{name} {weighted} {smoothed} {reduction}", number)
    rng = draw.rng
    classes = rng.randint(1, 6)
    spatial = [rng.randint(1, 3) for _ in range(rng.choice([0, 0, 1, 2]))]
    shape = [rng.randint(1, 5), classes, *spatial]
    scores = draw.values(shape).nan_to_num() * rng.choice([1, 1, 1, 1000])
    ignored = rng.choice([-100, rng.randrange(classes), classes + 3])
    targets = [rng.choice([rng.randrange(classes)] * 3 + [ignored]) for _ in range(scores.numel() // classes)]
    if number % 20 == 0:
        targets = [ignored] * len(targets)
    targets = torch.tensor(targets, dtype=torch.int64).reshape([shape[0], *spatial])
    weights = torch.tensor([rng.randint(1, 16) / 8 for _ in range(classes)], dtype=torch.float64) if weighted else None
    smoothing = rng.choice([0.1, 0.5, 1.0]) if smoothed else 0.0
    scores.requires_grad_()
    if name == "nll_loss":
        out = F.nll_loss(scores, targets, weights, ignore_index=ignored, reduction=reduction)
    else:
        out = F.cross_entropy(scores, targets, weights, ignore_index=ignored, reduction=reduction, label_smoothing=smoothing)
    g = draw.cotangent(list(out.shape))
    (out * g).sum().backward()
    line = {"loss": name, "reduction": reduction, "ignored": ignored, "smoothing": smoothing, "scores": plain(scores), "classes": plain(targets)}
    line.update(out=plain(out), cotangent=plain(g), dscores=plain(scores.grad))
    if weighted:
        line["weights"] = plain(weights)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=60, help="cases of each call")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("losses.jsonl.gz"))
    args = parser.parse_args()
    if torch.__version__.split("+")[0] != VERSION:
        parser.error(f"this needs torch {VERSION}, found {torch.__version__}")
    torch.set_num_threads(1)
    lines = [{"torch": VERSION, "seed": args.seed}]
    for name, smoothed in [("cross_entropy", False), ("cross_entropy", True), ("nll_loss", False)]:
        for weighted in [False, True]:
            for reduction in ["mean", "sum", "none"]:
                lines += [loss(name, weighted, smoothed, reduction, args.seed, number) for number in range(args.cases)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    args.out.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{args.out}: {len(lines) - 1} cases")


if __name__ == "__main__":
    main()
