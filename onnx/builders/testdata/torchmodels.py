"""Writes the models of testdata/torch: PyTorch's TorchScript exporter makes them,
and PyTorch runs and differentiates them.

    python3 torchmodels.py FOLDER

FOLDER/NAME.onnx is the model, and FOLDER/NAME.json holds inputs, the output, a
random cotangent u, and the gradients of the sum of output times u with respect to
the parameters and the float inputs, by the names that the model has for them.
Needs the packages in torchmodels.txt. The seed is fixed.
"""

import io
import json
import math
import os
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F


class Classifier(nn.Module):
    """Bags of words: an embedding, its mean, two layers, log-softmax."""

    def __init__(self):
        super().__init__()
        self.table, self.hidden, self.out = nn.Embedding(7, 4), nn.Linear(4, 5), nn.Linear(5, 3)

    def forward(self, words):
        return F.log_softmax(self.out(F.relu(self.hidden(self.table(words).mean(1)))), dim=-1)


class Masked(nn.Module):
    """The same with a mask of the words that count."""

    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(7, 4), nn.Linear(4, 3)

    def forward(self, words, mask):
        m = mask.unsqueeze(-1)
        return torch.softmax(self.out((self.table(words) * m).sum(1) / m.sum(1)), 1)


class Recurrence(nn.Module):
    """Tanh over time steps, and the states side by side."""

    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(3, 4), nn.Linear(4, 4, bias=False)

    def forward(self, x):
        h = torch.zeros(x.size(0), 4)
        states = []
        for t in range(x.size(1)):
            h = torch.tanh(self.x(x[:, t]) + self.h(h))
            states.append(h.unsqueeze(1))
        return torch.cat(states, 1)


class Gated(nn.Module):
    """A gated recurrent unit written out: chunk, sigmoid, stack."""

    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(3, 12), nn.Linear(4, 12)

    def forward(self, x):
        h = x.new_zeros(x.size(0), 4)
        states = []
        for t in range(x.size(1)):
            r1, z1, n1 = self.x(x[:, t]).chunk(3, 1)
            r2, z2, n2 = self.h(h).chunk(3, 1)
            z = torch.sigmoid(z1 + z2)
            h = (1 - z) * torch.tanh(n1 + torch.sigmoid(r1 + r2) * n2) + z * h
            states.append(h)
        return torch.stack(states, 1)[:, 1:, ::2]


class Attention(nn.Module):
    """Heads by view and transpose, with shapes computed from the input's."""

    def __init__(self, causal):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(4, 4) for _ in range(4))
        self.causal = causal

    def heads(self, x):
        return x.view(x.size(0), x.size(1), 2, x.size(2) // 2).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if self.causal:
            steps = torch.arange(x.size(1))
            scores = scores.masked_fill(steps.unsqueeze(0) > steps.unsqueeze(1), float("-inf"))
        y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).contiguous().view(x.size(0), x.size(1), -1))


class Positions(nn.Module):
    """Learnt positions by arange, a layer norm written out, GELU by erf."""

    def __init__(self):
        super().__init__()
        self.place, self.scale, self.fc = nn.Embedding(8, 4), nn.Parameter(torch.ones(4)), nn.Linear(4, 4)

    def forward(self, x):
        y = x + self.place(torch.arange(x.size(1))).unsqueeze(0).expand(x.size(0), -1, -1)
        mean = y.mean(-1, keepdim=True)
        y = (y - mean) / torch.sqrt((y - mean).pow(2).mean(-1, keepdim=True) + 1e-5) * self.scale
        y = self.fc(y)
        return y * 0.5 * (1 + torch.erf(y / math.sqrt(2.0)))


class Picked(nn.Module):
    """GatherElements, and ScatterElements that adds."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)

    def forward(self, x, picks, places):
        y = torch.gather(self.fc(x), 1, picks)
        return torch.zeros(x.size(0), 6).scatter_add(1, places, torch.exp(y))


class Messages(nn.Module):
    """Messages along the edges of a graph, and an edge's weight by its two ends."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, nodes, source, target):
        near = torch.sigmoid(nodes @ nodes.t())[source, target].unsqueeze(1)
        m = torch.abs(self.fc(nodes.index_select(0, source))) * near
        sums = torch.zeros(4, 3).scatter_add(0, target.unsqueeze(1).expand(-1, 3), m)
        return sums - torch.log(nodes * nodes + 1)


def longs(high, *shape):
    return torch.randint(high, shape)


def cases():
    """name, model, inputs by name, opset, whether dims stay open, further options."""
    x = lambda *shape: torch.randn(*shape)  # noqa: E731
    yield "classifier", Classifier(), {"words": longs(7, 3, 5)}, 17, False, {}
    yield "classifier_opset11", Classifier(), {"words": longs(7, 3, 5)}, 11, False, {}
    yield "classifier_folded", Classifier(), {"words": longs(7, 3, 5)}, 17, True, {"do_constant_folding": True}
    yield "masked", Masked(), {"words": longs(7, 2, 4), "mask": torch.tensor([[1.0, 1, 1, 0], [1, 1, 0, 0]])}, 17, True, {}
    yield "masked_opset12", Masked(), {"words": longs(7, 2, 4), "mask": torch.tensor([[1.0, 1, 1, 0], [1, 1, 0, 0]])}, 12, False, {}
    yield "recurrence", Recurrence(), {"x": x(2, 4, 3)}, 17, False, {}
    yield "recurrence_opset9", Recurrence(), {"x": x(2, 4, 3)}, 9, False, {}
    yield "gated", Gated(), {"x": x(2, 2, 3)}, 17, True, {}
    yield "gated_double", Gated().double(), {"x": x(2, 2, 3).double()}, 13, False, {}
    yield "attention", Attention(False), {"x": x(2, 3, 4)}, 17, True, {}
    yield "attention_causal", Attention(True), {"x": x(2, 3, 4)}, 17, True, {}
    yield "attention_folded", Attention(False), {"x": x(2, 3, 4)}, 14, False, {"do_constant_folding": True}
    yield "positions", Positions(), {"x": x(2, 5, 4)}, 17, True, {}
    yield "picked", Picked(), {"x": x(3, 4), "picks": longs(5, 3, 4), "places": longs(6, 3, 4)}, 17, False, {}
    yield "messages", Messages(), {"nodes": x(4, 3), "source": longs(4, 6), "target": longs(4, 6)}, 17, False, {}


def plain(t):
    values = t.flatten().tolist()
    if t.dtype == torch.float32:
        values = [float(f"{v:.9g}") for v in values]  # as many digits as tell all of them apart
    return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "values": values}


def write(folder, name, model, inputs, opset, open_dims, options):
    for value in inputs.values():
        if value.is_floating_point():
            value.requires_grad_()
    axes = {n: {0: "batch", 1: "steps"} for n, v in inputs.items() if v.dim() > 1} if open_dims else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = io.BytesIO()
        options = {"do_constant_folding": False, **options}
        torch.onnx.export(
            model, tuple(inputs.values()), file, opset_version=opset, dynamo=False, training=torch.onnx.TrainingMode.PRESERVE,
            input_names=list(inputs), output_names=["y"], dynamic_axes=axes, **options,
        )
    with open(os.path.join(folder, name + ".onnx"), "wb") as f:
        f.write(file.getvalue())
    y = model(*inputs.values())
    u = torch.randn(y.shape, dtype=y.dtype)
    (y * u).sum().backward()
    grads = {n: p.grad for n, p in model.named_parameters()}
    grads |= {n: v.grad for n, v in inputs.items() if v.is_floating_point()}
    data = {
        "inputs": {n: plain(v.detach()) for n, v in inputs.items()},
        "output": plain(y.detach()), "u": plain(u), "grads": {n: plain(g) for n, g in grads.items()},
    }
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(data, f, separators=(",", ":"))


def main(folder):
    torch.manual_seed(1)
    for case in cases():
        write(folder, *case)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: torchmodels.py FOLDER")
    main(sys.argv[1])
