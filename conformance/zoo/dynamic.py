"""Makes an int8 model as ONNX Runtime's quantize_dynamic does, of sentence.py's encoder
with weights in float.

    python3 dynamic.py FOLDER

FOLDER/dynamic.onnx has DynamicQuantizeLinear and MatMulInteger for products, the weights by
column, and the table of words behind DequantizeLinear; FOLDER/dynamic.json has inputs and what
ONNX Runtime makes of them. Needs the packages in requirements.txt.
"""

import json
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

import sentence


class Maker(sentence.Maker):
    def weight(self, *shape):
        return self.constant(self.rng.normal(0, 0.4 / np.sqrt(shape[0]), shape).astype(np.float32))


def main(folder):
    path = os.path.join(folder, "dynamic.onnx")
    with tempfile.TemporaryDirectory() as temporary:
        whole = os.path.join(temporary, "float.onnx")
        onnx.save(Maker().model(), whole)
        quantize_dynamic(whole, path, per_channel=True, weight_type=QuantType.QInt8)
    model = onnx.load(path)
    kinds = sorted({n.op_type for n in model.graph.node if "Quant" in n.op_type or "quant" in n.op_type or "Integer" in n.op_type})
    assert kinds == ["DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger"], kinds
    ids = np.random.default_rng(2).integers(0, sentence.WORDS, (3, sentence.LENGTH))
    mask = np.ones_like(ids)
    mask[1, 4:], mask[2, 1:] = 0, 0
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    y = onnxruntime.InferenceSession(path, options).run(["y"], {"ids": ids, "mask": mask})[0]
    data = {"ids": ids.flatten().tolist(), "mask": mask.flatten().tolist(), "y": [float(f"{v:.9g}") for v in y.flatten()]}
    with open(os.path.join(folder, "dynamic.json"), "w") as f:
        json.dump(data, f, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1])
