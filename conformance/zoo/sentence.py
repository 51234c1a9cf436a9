"""Makes a sentence model of six encoder layers in the way of other exporters than
PyTorch's: opset 17, weights as int8 behind Cast and Mul, a mask made of comparisons.

    python3 sentence.py FOLDER

FOLDER/sentence.onnx has parameters drawn at random, FOLDER/sentence.json inputs and what
ONNX Runtime makes of them. Needs the packages in requirements.txt, and onnxruntime.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WORDS, WIDTH, HEADS, HIDDEN, LAYERS, LENGTH = 40, 12, 3, 20, 6, 7


class Maker:
    def __init__(self):
        self.rng, self.nodes, self.weights, self.count = np.random.default_rng(1), [], [], 0

    def op(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value):
        self.count += 1
        name = f"constant_{self.count}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, *shape):
        q = self.constant(self.rng.integers(-127, 128, shape, dtype=np.int8))
        scale = self.constant(np.float32(0.7 / 127 / np.sqrt(shape[0])))
        return self.op("Mul", self.op("Cast", q, to=TensorProto.FLOAT), scale)

    def bias(self, n):
        return self.constant(self.rng.normal(0, 0.1, n).astype(np.float32))

    def linear(self, x, n, m):
        return self.op("Add", self.op("MatMul", x, self.weight(n, m)), self.bias(m))

    def normalized(self, x):
        scale = self.constant((1 + self.rng.normal(0, 0.1, WIDTH)).astype(np.float32))
        return self.op("LayerNormalization", x, scale, self.bias(WIDTH), axis=-1, epsilon=1e-12)

    def heads(self, x, perm):
        shape = self.constant(np.array([0, 0, HEADS, WIDTH // HEADS]))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=perm)

    def layer(self, x, mask):
        q, k, v = (self.linear(x, WIDTH, WIDTH) for _ in range(3))
        scores = self.op("MatMul", self.heads(q, [0, 2, 1, 3]), self.heads(k, [0, 2, 3, 1]))
        scores = self.op("Div", scores, self.constant(np.float32(np.sqrt(WIDTH // HEADS))))
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        # A row without any word that counts would be NaN.
        shares = self.op("Where", self.op("IsNaN", shares), self.constant(np.float32(0)), shares)
        y = self.op("Transpose", self.op("MatMul", shares, self.heads(v, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.constant(np.array([0, 0, WIDTH])))
        x = self.normalized(self.op("Add", x, self.linear(y, WIDTH, WIDTH)))
        h = self.linear(x, WIDTH, HIDDEN)
        half = self.op("Mul", h, self.constant(np.float32(0.5)))
        erf = self.op("Erf", self.op("Div", h, self.constant(np.float32(np.sqrt(2)))))
        h = self.op("Mul", half, self.op("Add", erf, self.constant(np.float32(1))))
        return self.normalized(self.op("Add", x, self.linear(h, HIDDEN, WIDTH)))

    def model(self):
        x = self.op("Gather", self.weight(WORDS, WIDTH), "ids")
        x = self.normalized(self.op("Add", x, self.weight(LENGTH, WIDTH)))
        known = self.op("GreaterOrEqual", "ids", self.constant(np.int64(0)))
        counts = self.op("And", known, self.op("Cast", "mask", to=TensorProto.BOOL))
        counts = self.op("Unsqueeze", counts, self.constant(np.array([1, 2])))
        zero, least = self.constant(np.float32(0)), self.constant(np.float32("-inf"))
        mask = self.op("Where", counts, zero, least)
        for _ in range(LAYERS):
            x = self.layer(x, mask)
        weights = self.op("Unsqueeze", self.op("Cast", "mask", to=TensorProto.FLOAT), self.constant(np.array([2])))
        total = self.op("ReduceSum", self.op("Mul", x, weights), self.constant(np.array([1])), keepdims=0)
        number = self.op("ReduceSum", weights, self.constant(np.array([1])), keepdims=0)
        mean = self.op("Div", total, self.op("Max", number, self.constant(np.float32(1e-9))))
        norm = self.op("ReduceL2", mean, axes=[1], keepdims=1)
        self.nodes.append(helper.make_node("Div", [mean, norm], ["y"], name="y"))
        ports = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", LENGTH]) for n in ("ids", "mask")]
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", WIDTH])
        graph = helper.make_graph(self.nodes, "sentence", ports, [y], self.weights)
        m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(m, full_check=True)
        return m


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "sentence.onnx")
    onnx.save(Maker().model(), path)
    ids = np.random.default_rng(2).integers(0, WORDS, (3, LENGTH))
    mask = np.ones_like(ids)
    mask[1, 4:], mask[2, 1:] = 0, 0
    y = onnxruntime.InferenceSession(path).run(["y"], {"ids": ids, "mask": mask})[0]
    data = {"ids": ids.flatten().tolist(), "mask": mask.flatten().tolist(), "y": [float(f"{v:.9g}") for v in y.flatten()]}
    with open(os.path.join(folder, "sentence.json"), "w") as f:
        json.dump(data, f, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1])
