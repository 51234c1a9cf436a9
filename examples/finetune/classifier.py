"""Trains the classifier that the example finetune starts from, and writes it.

    go run . && python3 classifier.py finetune-out/names.tsv classifier.onnx

names.tsv has a line for each name: its part, its language, the name. The script
learns from the names of part "script" alone. Needs the packages in
requirements.txt; the seed is fixed.

The model, of opset 17: the rows of a table that the name's character n-grams
stand for (Gather), without those that pad (Mul), their mean (ReduceSum, Div), a
layer of 64 (Gemm, Relu) and one output for each language (Gemm).
"""

import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

GRAMS, ROWS, SIZE, HIDDEN = 48, 4096, 16, 64


def fnv1a(text):
    h = 0x811C9DC5
    for byte in text.encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    return h


def encode(name):
    text = "^" + name + "$"
    rows = [1 + fnv1a(text[i : i + n]) % (ROWS - 1) for n in (1, 2, 3) for i in range(len(text) - n + 1)][:GRAMS]
    return rows + [0] * (GRAMS - len(rows)), [1.0] * len(rows) + [0.0] * (GRAMS - len(rows))


class Classifier(nn.Module):
    def __init__(self, languages):
        super().__init__()
        self.table, self.hidden, self.out = nn.Embedding(ROWS, SIZE), nn.Linear(SIZE, HIDDEN), nn.Linear(HIDDEN, languages)

    def forward(self, grams, mask):
        mean = (self.table(grams) * mask).sum(1) / mask.sum(1)
        return self.out(torch.relu(self.hidden(mean)))


def train(model, grams, mask, target):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(12):
        for batch in torch.randperm(len(target)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(grams[batch], mask[batch]), target[batch]).backward()
            optimizer.step()


def write(model, languages, path):
    weights = {
        "table": model.table.weight, "hidden.weight": model.hidden.weight, "hidden.bias": model.hidden.bias,
        "out.weight": model.out.weight, "out.bias": model.out.bias,
    }
    initializers = [numpy_helper.from_array(w.detach().numpy(), n) for n, w in weights.items()]
    initializers.append(numpy_helper.from_array(np.array([1], dtype=np.int64), "grams_axis"))
    nodes = [
        helper.make_node("Gather", ["table", "grams"], ["rows"], "look_up", axis=0),
        helper.make_node("Mul", ["rows", "mask"], ["kept"], "leave_out_padding"),
        helper.make_node("ReduceSum", ["kept", "grams_axis"], ["sum"], "add_up", keepdims=0),
        helper.make_node("ReduceSum", ["mask", "grams_axis"], ["count"], "count", keepdims=0),
        helper.make_node("Div", ["sum", "count"], ["mean"], "divide"),
        helper.make_node("Gemm", ["mean", "hidden.weight", "hidden.bias"], ["before"], "hidden", transB=1),
        helper.make_node("Relu", ["before"], ["after"], "bend"),
        helper.make_node("Gemm", ["after", "out.weight", "out.bias"], ["scores"], "out", transB=1),
    ]
    graph = helper.make_graph(
        nodes, "language_of_a_name",
        [helper.make_tensor_value_info("grams", TensorProto.INT64, ["names", GRAMS]),
         helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["names", GRAMS, 1])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["names", len(languages)])],
        initializers,
    )
    file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="classifier.py")
    helper.set_model_props(file, {"languages": " ".join(languages)})
    onnx.checker.check_model(file, full_check=True)
    onnx.save(file, path)


def main(names, path):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    with open(names, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    languages = sorted({language for _, language, _ in lines})
    tensors = {}
    for part in ("script", "held-out"):
        chosen = [(encode(name), languages.index(language)) for p, language, name in lines if p == part]
        tensors[part] = (
            torch.tensor([g for (g, _), _ in chosen]), torch.tensor([m for (_, m), _ in chosen]).unsqueeze(-1),
            torch.tensor([t for _, t in chosen]),
        )
    model = Classifier(len(languages))
    train(model, *tensors["script"])
    for part, (grams, mask, target) in tensors.items():
        right = (model(grams, mask).argmax(1) == target).float().mean()
        print(f"{part}: {len(target)} names, {100 * right:.1f} % right")
    write(model, languages, path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: classifier.py NAMES MODEL")
    main(*sys.argv[1:])
