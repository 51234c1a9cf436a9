"""A training step of an encoder by PyTorch, measured when asked for on standard input."""

import json
import os
import sys
import time
import warnings

import torch
from torch import nn

WORDS = 1000


class Encoder(nn.Module):
    """Layers of PyTorch's encoder over an embedding."""

    def __init__(self, c):
        super().__init__()
        self.table = nn.Embedding(WORDS, c["width"])
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(c["width"], c["heads"], c["hidden"], 0.0, c["activation"], batch_first=True)
            for _ in range(c["layers"])
        )

    def forward(self, words):
        y = self.table(words)
        for layer in self.layers:
            y = layer(y)
        return y


class Step:
    """Forward, the mean of the squared distance from the target, and all gradients."""

    def __init__(self, c):
        torch.set_num_threads(c["threads"])
        torch.manual_seed(1)
        self.model = Encoder(c).eval()
        n, length, width = c["batch"], c["length"], c["width"]
        # What inputs in step.go makes.
        self.words = (torch.arange(n * length) * 7919 % WORDS).reshape(n, length)
        self.target = (torch.arange(n * length * width) % 1009 / 1009 - 0.5).reshape(n, length, width)

    def export(self, path):
        options = {"dynamo": True, "verbose": False, "optimize": False, "external_data": False}
        torch.onnx.export(self.model, (self.words,), path, input_names=["words"], output_names=["y"], **options)

    def run(self):
        self.model.zero_grad(set_to_none=True)
        start = time.perf_counter()
        self.cost = nn.functional.mse_loss(self.model(self.words), self.target)
        self.cost.backward()
        return time.perf_counter() - start

    def squares(self):
        return sum(p.grad.double().square().sum().item() for p in self.model.parameters())


def main():
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")  # the exporter writes to standard output
    os.dup2(2, 1)
    step = None
    for line in sys.stdin:
        q, a = json.loads(line), {}
        try:
            if "case" in q:
                step = Step(q["case"])
                step.export(q["file"])
                step.run()
                a = {"version": torch.__version__, "cost": step.cost.item(), "squares": step.squares()}
            else:
                a["seconds"] = step.run()
        except Exception as e:
            a["error"] = repr(e)
        print(json.dumps(a), file=answers, flush=True)


main()
