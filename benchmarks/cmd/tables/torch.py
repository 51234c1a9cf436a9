"""Steps of PyTorch's sparse gradients, measured when asked for on standard input."""

import json
import sys
import time

import numpy as np
import torch

RATE, SETS, BAG, OUTPUTS = 0.01, 16, 16, 32


def numbers(n, *shape):
    """What gradients in ours.go makes."""
    return torch.from_numpy((0.5 + (np.arange(n) % 1009).astype(np.float32) / 1009).astype(np.float32)).reshape(shape)


def optimizer(name, parameters):
    if name == "SGD":
        return torch.optim.SGD(parameters, lr=RATE)
    if name == "Adagrad":
        return torch.optim.Adagrad(parameters, lr=RATE)
    # PyTorch has no row-wise Adagrad: its lazy Adam is what that is held against.
    return torch.optim.SparseAdam(list(parameters), lr=RATE)


class Table:
    """The table part: rows are looked up, and changed by gradients that are at hand."""

    def __init__(self, c, ids):
        self.ids = [torch.from_numpy(x.copy()) for x in ids.reshape(SETS, -1)]
        self.rows = torch.nn.Embedding.from_pretrained(torch.zeros(c["rows"], c["dim"]), freeze=False, sparse=True)
        self.optimizer = optimizer(c["optimizer"], self.rows.parameters())
        self.gradient = numbers(c["ids"] * c["dim"], c["ids"], c["dim"])

    def step(self, i):
        out = self.rows(self.ids[i])
        out.backward(self.gradient)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return out


class Model:
    """Bags of 16 ids, their mean, a linear layer, and the mean squared error."""

    def __init__(self, c, ids):
        bags = c["ids"] // BAG
        self.ids = [torch.from_numpy(x.copy()).reshape(bags, BAG) for x in ids.reshape(SETS, -1)]
        self.rows = torch.nn.EmbeddingBag.from_pretrained(torch.zeros(c["rows"], c["dim"]), freeze=False, sparse=True, mode="mean")
        self.layer = torch.nn.Linear(c["dim"], OUTPUTS, bias=False)
        self.optimizers = [optimizer(c["optimizer"], self.rows.parameters()), torch.optim.SGD(self.layer.parameters(), lr=RATE)]
        self.target = numbers(bags * OUTPUTS, bags, OUTPUTS)

    def step(self, i):
        out = self.rows(self.ids[i])
        torch.nn.functional.mse_loss(self.layer(out), self.target).backward()
        for o in self.optimizers:
            o.step()
            o.zero_grad(set_to_none=True)
        return out


def main():
    step = None
    for line in sys.stdin:
        q, a = json.loads(line), {}
        try:
            if "case" in q:
                c, step = q["case"], None
                torch.set_num_threads(c["threads"])
                work = (Model if c["model"] else Table)(c, np.fromfile(q["file"], np.int64))
                step = work.step
                for i in range(SETS):
                    step(i)
                a["sum"] = step(0).double().sum().item()
            elif "times" in q:
                start = time.perf_counter()
                for _ in range(q["times"]):
                    for i in range(SETS):
                        step(i)
                a["seconds"] = (time.perf_counter() - start) / q["times"] / SETS
            else:
                a["version"] = torch.__version__
        except Exception as e:
            a["error"] = repr(e)
        print(json.dumps(a), flush=True)


main()
