"""Writes vectors.jsonl.gz: what PyTorch's optimisers for sparse gradients make of small tables.

    python3 -m venv DIR && DIR/bin/pip install torch==2.15.0 numpy
    DIR/bin/python conformance/embedding/generate.py [--seed N] [--cases N] [--out FILE]

The first line of the file names the version and the seed. Each further line is the training of one table in float64:
the rows at the beginning, and for each step the ids, their bags and weights, the value of the lookup, its gradient,
and the rows after the step. The loss of a step is the sum of the value times the gradient.
"""

import argparse
import gzip
import json
import pathlib
import random

import torch

VERSION = "2.15.0"
STEPS = 4


def train(seed, number):
    rng = random.Random(f"{seed} {number}")
    rows, dim = rng.randint(1, 8), rng.randint(1, 9)
    numbers = lambda n: [rng.gauss(0, 1) for _ in range(n)]
    mode = rng.choice(["lookup", "sum", "mean", "weights", "max"])
    # PyTorch has no sparse gradient of max; without a memory a dense one of zeros changes nothing.
    name = "SGD" if mode == "max" else rng.choice(["SGD", "Adagrad", "Adam"])
    case = {
        "rows": rows, "dim": dim, "mode": mode, "optimizer": name, "rate": rng.uniform(0.01, 0.5),
        "padding": rng.randrange(rows) if rng.random() < 0.5 else None, "start": numbers(rows * dim), "steps": [],
    }
    table = torch.nn.Parameter(torch.tensor(case["start"], dtype=torch.float64).reshape(rows, dim))
    if name == "SGD":
        optimizer = torch.optim.SGD([table], lr=case["rate"])
    elif name == "Adagrad":
        case["eps"], case["decay"], case["accumulator"] = 10 ** rng.uniform(-10, -2), rng.choice([0, 0.3]), rng.choice([0, 0.5])
        optimizer = torch.optim.Adagrad(
            [table], lr=case["rate"], eps=case["eps"], lr_decay=case["decay"], initial_accumulator_value=case["accumulator"])
    else:
        case["eps"], case["betas"] = 10 ** rng.uniform(-10, -2), [rng.choice([0.9, 0.5]), rng.choice([0.999, 0.7])]
        optimizer = torch.optim.SparseAdam([table], lr=case["rate"], eps=case["eps"], betas=case["betas"])
    bags = rng.randint(1, 4)
    for _ in range(STEPS):
        step = {}
        if mode == "lookup":
            n = rng.randint(1, 12)
            step["ids"] = [rng.randrange(rows) for _ in range(n)]
            # PyTorch's padding is a row that gets no gradient; ours is zeros when it is looked up.
            value = torch.nn.functional.embedding(torch.tensor(step["ids"]), table, padding_idx=case["padding"], sparse=True)
        else:
            sizes = [rng.randint(0, 4) for _ in range(bags)]
            step["offsets"] = [sum(sizes[:i]) for i in range(bags)]
            step["ids"] = [rng.randrange(rows) for _ in range(sum(sizes))]
            weights = None
            if mode == "weights":
                step["weights"] = numbers(len(step["ids"]))
                weights = torch.tensor(step["weights"], dtype=torch.float64)
            value = torch.nn.functional.embedding_bag(
                torch.tensor(step["ids"], dtype=torch.int64), table, torch.tensor(step["offsets"]), mode="sum" if mode == "weights" else mode,
                per_sample_weights=weights, padding_idx=case["padding"], sparse=mode != "max")
        step["value"] = value.detach().reshape(-1).tolist()
        step["gradient"] = numbers(len(step["value"]))
        optimizer.zero_grad(set_to_none=True)
        (value * torch.tensor(step["gradient"], dtype=torch.float64).reshape(value.shape)).sum().backward()
        optimizer.step()
        step["table"] = table.detach().reshape(-1).tolist()
        case["steps"].append(step)
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("vectors.jsonl.gz"))
    args = parser.parse_args()
    if not torch.__version__.startswith(VERSION):
        raise SystemExit(f"PyTorch {torch.__version__}, the vectors are of {VERSION}")
    torch.set_num_threads(1)
    rounded = lambda x: json.loads(json.dumps(x), parse_float=lambda s: float(f"{float(s):.9g}"))
    with open(args.out, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write((json.dumps({"version": VERSION, "seed": args.seed}) + "\n").encode())
        for number in range(args.cases):
            z.write((json.dumps(rounded(train(args.seed, number)), separators=(",", ":")) + "\n").encode())


main()
