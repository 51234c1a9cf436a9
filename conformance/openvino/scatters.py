"""Cases of ScatterUpdate, ScatterElementsUpdate and ScatterNDUpdate."""

import numpy as np

import draw
from ir import Case, tensor


def scatter_update(rng):
    def case(what, data, indices, updates, axis, opset="opset3"):
        return Case("ScatterUpdate-3", what, "ScatterUpdate", opset, [data, indices, updates, axis], axis_at=3)

    def random():
        r = int(rng.integers(1, 5))
        q = int(rng.integers(1, 6 - r)) if r > 2 else int(rng.integers(1, 4))
        s, i = draw.dims(rng, r), draw.dims(rng, q)
        a = int(rng.integers(r))
        element = str(rng.choice(draw.NUMBERS))
        indices = draw.indices(rng, str(rng.choice(draw.INTEGERS)), i, s[a])
        return case("random", draw.data(rng, element, s), indices,
                    draw.data(rng, element, s[:a] + i + s[a + 1:]), draw.axis(rng, a, r), f"opset{rng.integers(3, 17)}")

    yield from (random() for _ in range(130))
    d, x, zero = tensor("f32", np.arange(12).reshape(3, 4)), tensor("i32", [2, 0]), tensor("i64", 0)
    u = tensor("f32", [[90, 91, 92, 93], [94, 95, 96, 97]])
    yield case("random", d, tensor("i32", []), tensor("f32", np.zeros((0, 4))), zero)
    yield case("random", d, tensor("i32", [1, 1]), u, zero)
    yield case("scalar indices", d, tensor("i32", 2), tensor("f32", [90, 91, 92, 93]), zero)
    yield case("boolean data", tensor("boolean", [1, 0, 1]), tensor("i32", [0]), tensor("boolean", [0]), zero)
    yield case("indices of floats", d, tensor("f32", [2, 0]), u, zero)
    yield case("axis 2 of rank 2", d, x, u, tensor("i64", 2))
    yield case("axis -3 of rank 2", d, x, u, tensor("i64", -3))
    yield case("axis of two elements", d, x, u, tensor("i64", [0, 1]))
    yield case("types differ", d, x, tensor("i32", u.values), zero)
    yield case("updates of another shape", d, x, tensor("f32", u.values[:, :3]), zero)
    yield case("updates of another rank", d, x, tensor("f32", u.values[0]), zero)
    yield case("scalar data", tensor("f32", 3), tensor("i32", [0]), tensor("f32", [1]), zero)
    yield case("opset2", d, x, u, zero, opset="opset2")


REDUCTIONS = {
    "ScatterElementsUpdate": ["none", "sum", "prod", "min", "max", "mean"],
    "ScatterNDUpdate": ["none", "sum", "sub", "prod", "min", "max"],
}


def reduced(rng, type, element):
    """A reduction that has an exact result for the element type."""
    reduction = str(rng.choice(REDUCTIONS[type]))
    # A mean of booleans does not exist; a mean of doubles is rounded to
    # float32 by the device.
    return "sum" if reduction == "mean" and element in ("boolean", "f64") else reduction


def scatter_elements_update(rng, version):
    opsets = {3: (3, 11), 12: (12, 16)}[version]

    def case(what, data, indices, updates, axis, opset=None, **attributes):
        return Case(f"ScatterElementsUpdate-{version}", what, "ScatterElementsUpdate", opset or f"opset{opsets[0]}",
                    [data, indices, updates, axis], attributes, axis_at=3)

    def random():
        r = int(rng.integers(1, 5))
        s, a = draw.dims(rng, r), int(rng.integers(r))
        i = [int(rng.integers(1, n + 1)) for n in s]
        i[a] = int(rng.integers(1, 9))
        element = str(rng.choice(draw.ANY if version == 12 else draw.NUMBERS))
        attributes, values = {}, draw.data
        if version == 12 and rng.integers(8):
            attributes["reduction"] = reduced(rng, "ScatterElementsUpdate", element)
            values = {"prod": draw.factors, "mean": draw.terms}.get(attributes["reduction"], draw.data)
            if rng.integers(3):
                attributes["use_init_val"] = str(rng.choice(["true", "false"]))
        indices = draw.indices(rng, str(rng.choice(draw.INTEGERS)), i, s[a], negative=version == 12)
        return case("random", values(rng, element, s), indices, values(rng, element, i), draw.axis(rng, a, r),
                    f"opset{rng.integers(opsets[0], opsets[1] + 1)}", **attributes)

    yield from (random() for _ in range(120 if version == 3 else 200))
    d, x, one = tensor("f32", np.arange(12).reshape(3, 4)), tensor("i32", [[1], [3]]), tensor("i64", 1)
    u = tensor("f32", [[90], [91]])
    yield case("random", d, tensor("i32", np.zeros((3, 0))), tensor("f32", np.zeros((3, 0))), one)
    yield case("random", d, tensor("i32", [[1, 1, 1, 1, 0]]), tensor("f32", [[5, 6, 7, 8, 9]]), one)
    yield case("indices of floats", d, tensor("f32", [[1], [3]]), u, one)
    yield case("axis 2 of rank 2", d, x, u, tensor("i64", 2))
    yield case("axis -3 of rank 2", d, x, u, tensor("i64", -3))
    yield case("types differ", d, x, tensor("i32", [[90], [91]]), one)
    yield case("updates of another shape", d, x, tensor("f32", [[90, 91]]), one)
    yield case("ranks differ", d, tensor("i32", [1]), tensor("f32", [1]), one)
    yield case("scalar data", tensor("f32", 3), tensor("i32", 0), tensor("f32", 1), tensor("i64", 0))
    yield case("opset2", d, x, u, one, opset="opset2")
    if version == 3:
        yield case("negative index", d, tensor("i32", [[-1], [-4]]), u, one)
        yield case("boolean data", tensor("boolean", [1, 0, 1]), tensor("i32", [0]), tensor("boolean", [0]), tensor("i64", 0))
        yield case("reduction attribute", d, x, u, one, reduction="sum")
        yield case("use_init_val attribute", d, x, u, one, use_init_val="false")
        return
    for reduction in REDUCTIONS["ScatterElementsUpdate"][1:]:
        for init in ["true", "false"]:
            yield case("random", d, x, u, one, reduction=reduction, use_init_val=init)
    yield case("unknown reduction", d, x, u, one, reduction="sub")
    yield case("unknown reduction", d, x, u, one, reduction="add")
    yield case("reduction in capitals", d, x, u, one, reduction="SUM")
    yield case("use_init_val not a boolean", d, x, u, one, reduction="sum", use_init_val="maybe")
    bools = [tensor("boolean", [1, 0, 1]), tensor("i32", [0]), tensor("boolean", [0]), tensor("i64", 0)]
    yield case("mean of booleans", *bools, reduction="mean")
    yield case("mean of small integers that overflow", tensor("i8", [100, 0]), tensor("i8", [0, 0]), tensor("i8", [100, 100]),
               tensor("i64", 0), reduction="mean")
    for kind in ["i8", "i16", "i32", "i64"]:
        yield case("mean of integers below zero", tensor(kind, [-3, 0]), tensor("i8", [0, 0]), tensor(kind, [-4, -4]),
                   tensor("i64", 0), reduction="mean")
    nan = float("nan")
    for reduction in ["min", "max"]:
        yield case("NaN in the updates alone", tensor("f32", [1, 5]), tensor("i32", [0, 0]), tensor("f32", [nan, 2]),
                   tensor("i64", 0), reduction=reduction, use_init_val="false")


def scatter_nd_update(rng, version):
    opsets = {3: (4, 14), 15: (15, 16)}[version]

    def case(what, data, indices, updates, opset=None, **attributes):
        return Case(f"ScatterNDUpdate-{version}", what, "ScatterNDUpdate", opset or f"opset{opsets[0]}",
                    [data, indices, updates], attributes)

    def random():
        r, q = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        k = int(rng.integers(1, r + 1))
        s, i = draw.dims(rng, r), draw.dims(rng, q - 1)
        element = str(rng.choice(draw.ANY if version == 15 else draw.NUMBERS))
        attributes, values = {}, draw.data
        if version == 15 and rng.integers(8):
            attributes["reduction"] = reduced(rng, "ScatterNDUpdate", element)
            if attributes["reduction"] == "prod":
                values = draw.factors
        indices = draw.tuples(rng, str(rng.choice(["i32", "i64"])), i, s[:k], negative=version == 15)
        return case("random", values(rng, element, s), indices, values(rng, element, i + s[k:]),
                    f"opset{rng.integers(opsets[0], opsets[1] + 1)}", **attributes)

    yield from (random() for _ in range(120 if version == 3 else 200))
    d, x, u = tensor("f32", np.arange(12).reshape(3, 4)), tensor("i32", [[1, 2], [0, 3]]), tensor("f32", [90, 91])
    yield case("random", d, tensor("i32", np.zeros((0, 2))), tensor("f32", np.zeros(0)))
    yield case("random", d, tensor("i64", [1, 2]), tensor("f32", 90))
    yield case("random", d, tensor("i64", [[1], [1]]), tensor("f32", [[1, 2, 3, 4], [5, 6, 7, 8]]))
    yield case("one element for a scalar update", d, tensor("i64", [1, 2]), tensor("f32", [90]))
    yield case("one element for a scalar update", d, tensor("i64", [1, 2]), tensor("f32", [[90]]))
    yield case("two elements for a scalar update", d, tensor("i64", [1, 2]), u)
    yield case("no index", d, tensor("i32", np.zeros((2, 0))), tensor("f32", np.zeros((2, 3, 4))))
    yield case("more indices than axes", d, tensor("i32", [[0, 0, 0]]), tensor("f32", [1]))
    yield case("indices of i16", d, tensor("i16", x.values), u)
    yield case("indices of u32", d, tensor("u32", x.values), u)
    yield case("indices of floats", d, tensor("f32", x.values), u)
    yield case("types differ", d, x, tensor("i32", [90, 91]))
    yield case("updates of another shape", d, x, tensor("f32", [90, 91, 92]))
    yield case("updates of another rank", d, tensor("i32", [[1]]), tensor("f32", [90]))
    yield case("scalar data", tensor("f32", 3), tensor("i32", [0]), tensor("f32", 1))
    yield case("scalar indices", d, tensor("i32", 1), tensor("f32", [1, 2, 3, 4]))
    yield case("opset2", d, x, u, opset="opset2")
    if version == 3:
        yield case("opset3", d, x, u, opset="opset3")
        yield case("negative index", d, tensor("i32", [[-1, 0]]), tensor("f32", [90]))
        yield case("boolean data", tensor("boolean", [1, 0, 1]), tensor("i32", [[0]]), tensor("boolean", [0]))
        yield case("reduction attribute", d, x, u, reduction="sum")
        return
    yield case("unknown reduction", d, x, u, reduction="mean")
    yield case("use_init_val attribute", d, x, u, reduction="sum", use_init_val="false")
    nan = float("nan")
    for reduction in ["min", "max"]:
        yield case("NaN in the updates", tensor("f32", [1, 5]), tensor("i32", [[0], [0]]), tensor("f32", [nan, 2]), reduction=reduction)
        yield case("NaN in data", tensor("f32", [nan, 5]), tensor("i32", [[0]]), tensor("f32", [2]), reduction=reduction)
