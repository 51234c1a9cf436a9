"""Makes the zoo: small models with sizes and parameters drawn at random, exported by
PyTorch in two ways, with what PyTorch computes.

    python3 generate.py FOLDER

FOLDER/NAME.default.onnx (and .data beside it) comes from torch.onnx.export with its
defaults, FOLDER/NAME.plain.onnx with optimize=False and external_data=False.
FOLDER/NAME.json holds inputs, the output y, a target t, the gradients of the mean of
(y - t)^2 with respect to the parameters, the parameters after ten steps of SGD, the
losses before, between and after ten steps of SGD and of Adam, and for each of the two
files in which initializers the elements of a parameter are, and where.

FOLDER/lossy has models of which the default loses parameters, and some that look like
them, in one file each and without gradients. Their nodes keep the lines of the
exported program. Needs the packages in requirements.txt.
"""

import copy
import json
import os
import random
import sys
import warnings

import models
import numpy
import onnx
import torch
from onnx import numpy_helper
from torch import nn

STEPS = 10
OPTIMIZERS = {"sgd": (torch.optim.SGD, 0.05), "adam": (torch.optim.Adam, 0.001)}
LINE = "pkg.torch.onnx.fx_node"  # the line of the exported program that a node comes from


def cases(r):
    """name, the model, its inputs."""
    words = lambda n=3, steps=None: torch.randint(7, (n, steps or r(3, 6)))  # noqa: E731
    x = torch.randn

    def padding(w):
        mask = torch.zeros(w.shape, dtype=torch.bool)
        mask[0, -1] = mask[1, -2:] = True
        return mask

    w = words()
    yield "words", models.Words(r), {"words": w}
    yield "encoder", models.Encoder(r, False, "relu"), {"words": w, "padding": padding(w)}
    yield "encoder_before", models.Encoder(r, True, "gelu"), {"words": w, "padding": padding(w)}
    causal = models.Causal(r)
    yield "causal", causal, {"x": x(2, r(3, 6), causal.d)}
    yield "masked", models.Masked(r), {"x": x(2, r(3, 6), 4)}
    yield "lstm", models.Recurrent(r, nn.LSTM), {"words": words()}
    yield "lstm_both", models.Recurrent(r, nn.LSTM, bidirectional=True, num_layers=2), {"words": words()}
    yield "gru", models.Recurrent(r, nn.GRU), {"words": words()}
    yield "gru_both", models.Recurrent(r, nn.GRU, bidirectional=True), {"words": words()}
    yield "rnn", models.Recurrent(r, nn.RNN), {"words": words()}
    yield "rnn_relu", models.Recurrent(r, nn.RNN, nonlinearity="relu"), {"words": words()}
    yield "conv1", models.Conv1(r), {"x": x(2, 3, r(11, 15))}
    yield "conv2", models.Conv2(r), {"x": x(2, 2, r(5, 8), r(5, 8))}
    yield "messages", models.Messages(r), {"nodes": x(5, 3), "source": torch.randint(5, (8,)), "target": torch.randint(5, (8,))}
    yield "towers", models.Towers(r), {"users": torch.randint(7, (6,)), "items": torch.randint(7, (6,))}
    yield "gelus", models.Gelus(r), {"x": x(r(2, 5), 3)}
    yield "groups", models.Groups(r), {"x": x(2, 2, r(4, 7))}
    yield "rms", models.RMS(r), {"x": x(2, r(2, 4), 5)}
    yield "activations", models.Activations(r), {"x": x(r(2, 5), 4)}
    yield "pieces", models.Pieces(r), {"x": x(2, r(3, 5), 4)}
    yield "tagger", models.Tagger(r), {"words": words()}
    attention = models.Attention(r)
    yield "attention", attention, {"x": x(2, r(3, 6), attention.d)}
    yield "image", models.Image(r), {"image": torch.rand(2, 3, r(6, 9), r(6, 9))}
    positions = models.Positions(r)
    yield "positions", positions, {"words": words(2, positions.steps)}
    yield "prelu", models.PReLUs(r), {"x": x(2, 3, r(6, 9))}
    yield "einsum", models.Einsums(r), {"x": x(2, r(3, 5), 4)}


def lossy(r):
    """The same for models that lose parameters, as they are when new."""
    x = torch.randn
    yield "norms", models.Norms(r), {"x": x(2, 3, 4)}
    yield "batch_norm", models.NewBatchNorm(r), {"x": x(5, 4)}
    yield "copies", models.Copies(r), {"x": x(2, 3, 4)}
    yield "tied", models.Tied(r), {"words": torch.randint(7, (2, 3))}
    yield "token", models.Token(r), {"x": x(2, 3, 4)}
    yield "weight_norm", models.WeightNorm(r), {"x": x(2, 3, 4)}
    yield "scale", models.Scale(r), {"x": x(3, 4)}
    yield "shared", models.Shared(r), {"x": x(2, 3, 4)}
    yield "unused", models.Unused(r), {"x": x(2, 3, 4)}


def plain(t):
    t = t.detach()
    values = t.flatten().tolist()
    if t.dtype == torch.float32:
        values = [float(f"{v:.9g}") for v in values]  # as many digits as tell all of them apart
    return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "values": values}


def without_traces(path, keep=()):
    """Takes the places in PyTorch's and our own files out of a model, and what else its nodes
    say but for these keys."""
    m = onnx.load(path, load_external_data=False)
    del m.metadata_props[:]
    for node in m.graph.node:
        kept = [p for p in node.metadata_props if p.key in keep]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.doc_string = ""
    onnx.save(m, path)


def export(model, inputs, path, keep=(), **options):
    names = {"input_names": list(inputs), "output_names": ["y"]}
    torch.onnx.export(model, tuple(inputs.values()), path, dynamo=True, verbose=False, **names, **options)
    without_traces(path, keep)


def train(model, inputs, target, optimizer):
    """The losses of a training, and the gradients of its first step."""
    losses, gradients = [], None
    kind, rate = OPTIMIZERS[optimizer]
    stepper = kind(model.parameters(), rate)
    for _ in range(STEPS + 1):
        stepper.zero_grad()
        loss = ((model(*inputs.values()) - target) ** 2).mean()
        losses.append(float(f"{loss.item():.9g}"))
        if len(losses) > STEPS:
            return losses, gradients
        loss.backward()
        gradients = gradients or {n: plain(p.grad) for n, p in model.named_parameters() if p.grad is not None}
        stepper.step()


def initializers(path, model):
    """Where each parameter's elements are: for every initializer that has all of them, the
    parameter's element at each of its places, -1 for none, or null if they are in order.
    The exporter transposes parameters, packs those of a recurrent cell in another order,
    and repeats a bias that is added to zeros."""
    held = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    found = {}
    for name, p in model.named_parameters():
        values = p.detach().numpy()
        places = {x: i for i, x in enumerate(values.flatten().tolist())}
        assert len(places) == values.size, name
        found[name] = {}
        for other, v in held.items():
            if numpy.array_equal(v, values):
                found[name][other] = None
            elif not set(places) - set(v.flatten().tolist()):
                found[name][other] = [places.get(x, -1) for x in v.flatten().tolist()]
    return found


def write(folder, name, model, inputs):
    model.eval()
    model(*inputs.values())  # fixes the sizes that are left open
    with torch.no_grad():
        for p in model.parameters():
            p += 0.1 * torch.randn(p.shape)  # PyTorch starts many of them at 0 or 1
    data = measure(model, inputs)
    data["initializers"] = {}
    for way, options in (("default", {}), ("plain", {"optimize": False, "external_data": False})):
        path = os.path.join(folder, f"{name}.{way}.onnx")
        export(model, inputs, path, **options)
        data["initializers"][way] = initializers(path, model)
    save(data, folder, name)


def measure(model, inputs):
    y = model(*inputs.values())
    target = torch.randn(y.shape)
    data = {
        "inputs": {n: plain(v) for n, v in inputs.items()}, "output": plain(y), "target": plain(target),
        "rates": {n: rate for n, (_, rate) in OPTIMIZERS.items()}, "losses": {},
    }
    for optimizer in OPTIMIZERS:
        trained = copy.deepcopy(model)
        data["losses"][optimizer], gradients = train(trained, inputs, target, optimizer)
        if optimizer == "sgd":
            data["gradients"], data["trained"] = gradients, {n: plain(p) for n, p in trained.named_parameters()}
    return data


def save(data, folder, name):
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(data, f, separators=(",", ":"))


def write_lossy(folder, name, model, inputs):
    model.eval()
    data = measure(model, inputs)
    del data["gradients"], data["trained"]
    export(model, inputs, os.path.join(folder, f"{name}.default.onnx"), [LINE], external_data=False)
    save(data, folder, name)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(1)
    sizes = random.Random(1)
    warnings.simplefilter("ignore")
    for case in cases(sizes.randrange):
        write(folder, *case)
    folder = os.path.join(folder, "lossy")
    os.makedirs(folder, exist_ok=True)
    for case in lossy(sizes.randrange):
        write_lossy(folder, *case)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: generate.py FOLDER")
    main(sys.argv[1])
