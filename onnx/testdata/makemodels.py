"""Makes the models and tensors of this folder with ONNX's own Python package.

    PYTHONPATH=FOLDER/packages python3 makemodels.py

FOLDER is the one that fetch.sh filled. The files are committed, and the tests
need nothing but them.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, checker, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
F, I = TensorProto.FLOAT, TensorProto.INT64


def value(name, kind, dims):
    return helper.make_tensor_value_info(name, kind, dims)


def save(name, opset, nodes, inputs, outputs, initializers=(), extra=(), check=True):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset), *extra]
    model = helper.make_model(graph, opset_imports=imports, producer_name="", ir_version=8 if opset < 24 else 12)
    if check:
        checker.check_model(model, full_check=True)
    onnx.save(model, os.path.join(HERE, name + ".onnx"))


def tensor(name, array):
    return numpy_helper.from_array(array, name)


def put(path, proto):
    path = os.path.join(HERE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(proto.SerializeToString())


def models():
    table = np.arange(12, dtype=np.float32).reshape(4, 3) / 2
    save(
        "embedding", 13,
        [
            helper.make_node("Gather", ["table", "words"], ["vectors"], name="lookup"),
            helper.make_node("Identity", ["vectors"], ["embedded"], name="out"),
        ],
        [value("words", I, ["sentences", 2])],
        [value("embedded", F, ["sentences", 2, 3])],
        [tensor("table", table)],
    )
    put("words.pb", tensor("words", np.array([[0, 3], [-1, 2]], np.int64)))
    put("embedded.pb", tensor("embedded", table[[[0, 3], [-1, 2]]]))

    # Two new positions for each of two sequences in a cache of four, the second
    # of which starts over.
    save(
        "cache", 24,
        [helper.make_node("TensorScatter", ["past", "new", "at"], ["present"], mode="circular")],
        [value("past", F, [2, 4, 3]), value("new", F, [2, 2, 3]), value("at", I, [2])],
        [value("present", F, [2, 4, 3])],
    )

    # Everything a model here may hold beside the operators themselves.
    save(
        "constants", 18,
        [
            helper.make_node("Constant", [], ["rows"], value_ints=[2, 0, 2]),
            helper.make_node("Constant", [], ["row"], value_int=1),
            helper.make_node("Constant", [], ["more"], value=tensor("", np.full((3, 3), 10, np.float32))),
            helper.make_node("Identity", ["square"], ["same"]),
            helper.make_node("Constant", [], ["places"], value=tensor("", np.array([[1], [0], [1]], np.int64))),
            helper.make_node("ScatterND", ["same", "places", "more"], ["sum"], reduction="add"),
            helper.make_node("Gather", ["sum", "rows"], ["picked"], axis=0),
            helper.make_node("Gather", ["sum", "row"], ["one"], axis=1),
        ],
        [],
        [value("picked", F, [3, 3]), value("one", F, [3]), value("square", F, [3, 3])],
        [tensor("square", np.arange(9, dtype=np.float32).reshape(3, 3))],
    )

    save(
        "unsupported", 13,
        [
            helper.make_node("Relu", ["x"], ["a"]),
            helper.make_node("Gather", ["a", "i"], ["b"]),
            helper.make_node("Relu", ["b"], ["c"]),
            helper.make_node("Conv", ["c", "w"], ["d"]),
            helper.make_node("Binarizer", ["d"], ["y"], domain="ai.onnx.ml"),
        ],
        [value("x", F, [1, 1, 4, 4]), value("i", I, [1]), value("w", F, [1, 1, 2, 2])],
        [value("y", F, [1, 1, 3, 3])],
        extra=[helper.make_opsetid("ai.onnx.ml", 1)],
    )

    # Before IR version 4 an initializer had to be listed among the inputs.
    graph = helper.make_graph(
        [helper.make_node("GatherElements", ["data", "i"], ["y"], axis=-1)],
        "old", [value("data", F, [2, 3]), value("i", I, [2, 2])], [value("y", F, [2, 2])],
        [tensor("i", np.array([[2, 0], [-1, 1]], np.int64))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], producer_name="", ir_version=3)
    checker.check_model(model)
    onnx.save(model, os.path.join(HERE, "old.onnx"))


def tensors():
    """The same six values in every data type, in raw_data and in the typed field."""
    for number, name in sorted((n, k) for k, n in TensorProto.DataType.items()):
        if not 1 <= number <= 16:
            continue
        values = [0, 1, 2, 3, 100, 127]
        if name == "BOOL":
            values = [0, 1, 1, 0, 0, 1]
        if name == "STRING":
            values = ["", "a", "bc", "\u00e9", "\u8a9e", "d e f"]
        elif name.startswith("COMPLEX"):
            values = [complex(v, -v - 1) for v in values]
        elif not name.startswith("U") and name != "BOOL":
            values[4] = -100
        typed = helper.make_tensor("t", number, [2, 3], values)
        put(f"tensors/{name.lower()}_typed.pb", typed)
        if name != "STRING":
            put(f"tensors/{name.lower()}_raw.pb", numpy_helper.from_array(numpy_helper.to_array(typed), "t"))
    put("tensors/scalar.pb", tensor("", np.array(7, np.int64)))
    put("tensors/empty.pb", tensor("", np.zeros((0, 3), np.float32)))


models()
tensors()
