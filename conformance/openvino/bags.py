"""Cases of the operators that reduce bags of rows, and of SegmentMax.

The CPU device has no answer to some of them, so they are not made: an offset that
is the number of indices leaves an empty last bag undefined, a wrong index ends a
bag before its end, EmbeddingSegmentsSum takes -1 for a row, a packed mean of no
rows is undefined, and a 16-bit or integer sum is computed in other types.
"""

import numpy as np

import draw
from ir import Case, tensor

# Types that the device sums as they are, or whose small sums are exact in what it
# takes instead.
SUMMED = ["f32", "f32", "f64", "f16", "bf16", "i32", "i64", "i8", "u8"]


def rows(rng, element, shape):
    """Small whole numbers, whose sums with weights are exact in 16 bits."""
    return tensor(element, rng.integers(0 if element[0] == "u" else -4, 5, shape))


def factors(rng, element, shape):
    if element[0] in "iu":
        return tensor(element, rng.choice([1, 2], shape))
    if element != "f32":
        return tensor(element, rng.choice([1, 2, 0.5], shape))  # a sum of one -0 has either sign
    return tensor(element, rng.choice([1, 2, -1, 0.5], shape))


def sizes(rng, bags, mean):
    """Sizes of bags, of which some are empty. Those of a mean are powers of 2, which
    every way of dividing divides alike. The last bag has a position."""
    choices = [0, 1, 2, 4] if mean else [0, 1, 2, 3, 5]
    made = [int(n) for n in rng.choice(choices, bags)]
    made[-1] = max(made[-1], 1)
    return made


def table(rng, mean=False):
    element = str(rng.choice(SUMMED))
    shape = draw.dims(rng, int(rng.integers(2, 5)))
    made = rows(rng, element, shape)
    if mean and element[0] in "iu":
        made = tensor(element, rng.integers(0, 5, shape))
    return made


def embedding_bag_offsets(rng, version):
    type_ = {3: "EmbeddingBagOffsetsSum", 15: "EmbeddingBagOffsets"}[version]
    opsets = {3: (3, 16), 15: (15, 16)}[version]

    def case(what, *inputs, opset=None, **attributes):
        constants = (3,) if len(inputs) > 3 else ()
        return Case(f"{type_}-{version}", what, type_, opset or f"opset{opsets[0]}", list(inputs), attributes, constants=constants)

    def random():
        mean = version == 15 and bool(rng.integers(2))
        data = table(rng, mean)
        kind = str(rng.choice(["i32", "i64"]))
        counts = sizes(rng, int(rng.integers(1, 6)), mean)
        n = sum(counts)
        offsets = np.cumsum([0] + counts[:-1])
        inputs = [data, draw.indices(rng, kind, (n,), data.shape[0]), tensor(kind, offsets)]
        if rng.integers(2):
            default = int(rng.integers(-1, data.shape[0]))
            inputs.append(tensor(kind, default))
            if not mean and rng.integers(2):
                inputs.append(factors(rng, data.element, (n,)))
        attributes = {"reduction": "mean" if mean else "sum"} if version == 15 and (mean or rng.integers(2)) else {}
        return case("random", *inputs, opset=f"opset{rng.integers(opsets[0], opsets[1] + 1)}", **attributes)

    yield from (random() for _ in range(130))
    d, i, o = tensor("f32", np.arange(12).reshape(4, 3)), tensor("i32", [0, 2, 3, 3]), tensor("i32", [0, 2])
    w = tensor("f32", [1, 2, 3, 4])
    none = tensor("i32", -1)
    yield case("random", d, i, o, none, w)
    yield case("random", tensor("f32", [1, 2, 3, 4]), i, o)
    yield case("indices of floats", d, tensor("f32", [0, 1]), o)
    yield case("indices and offsets of two types", d, tensor("i64", [0, 2, 3, 3]), o)
    yield case("indices of 8 bits", d, tensor("i8", [0, 2, 3, 3]), tensor("i8", [0, 2]))
    yield case("indices of rank 2", d, tensor("i32", [[0, 2], [3, 3]]), o)
    yield case("scalar offsets", d, i, tensor("i32", 0))
    yield case("weights of another type", d, i, o, none, tensor("i32", [1, 2, 3, 4]))
    yield case("fewer weights", d, i, o, none, tensor("f32", [1, 2, 3]))
    yield case("default_index of two elements", d, i, o, tensor("i32", [0, 1]))
    if version == 15:
        yield case("mean with weights", d, i, o, none, w, reduction="mean")
        yield case("unknown reduction", d, i, o, reduction="max")
        yield case("earlier opset", d, i, o, opset="opset14")
    else:
        yield case("earlier opset", d, i, o, opset="opset2")


def embedding_bag_packed(rng, version):
    type_ = {3: "EmbeddingBagPackedSum", 15: "EmbeddingBagPacked"}[version]
    opsets = {3: (3, 16), 15: (15, 16)}[version]

    def case(what, *inputs, opset=None, **attributes):
        return Case(f"{type_}-{version}", what, type_, opset or f"opset{opsets[0]}", list(inputs), attributes)

    def random():
        mean = version == 15 and bool(rng.integers(2))
        data = table(rng, mean)
        kind = str(rng.choice(["i32", "i64"]))
        shape = (int(rng.integers(1, 6)), int(rng.choice([1, 2, 4] if mean else [1, 2, 3, 5])))
        inputs = [data, draw.indices(rng, kind, shape, data.shape[0])]
        if not mean and rng.integers(2):
            inputs.append(factors(rng, data.element, shape))
        attributes = {"reduction": "mean" if mean else "sum"} if version == 15 and (mean or rng.integers(2)) else {}
        return case("random", *inputs, opset=f"opset{rng.integers(opsets[0], opsets[1] + 1)}", **attributes)

    yield from (random() for _ in range(130))
    d, i = tensor("f32", np.arange(12).reshape(4, 3)), tensor("i32", [[0, 2], [3, 3]])
    yield case("random", tensor("f32", [1, 2, 3, 4]), i)
    yield case("indices of floats", d, tensor("f32", [[0, 1]]))
    yield case("indices of rank 1", d, tensor("i32", [0, 2]))
    yield case("weights of another shape", d, i, tensor("f32", [1, 2]))
    yield case("weights of another type", d, i, tensor("i32", [[1, 2], [3, 4]]))
    if version == 15:
        yield case("mean with weights", d, i, tensor("f32", [[1, 2], [3, 4]]), reduction="mean")
        yield case("unknown reduction", d, i, reduction="max")
        yield case("earlier opset", d, i, opset="opset14")
    else:
        yield case("earlier opset", d, i, opset="opset2")


def embedding_segments(rng):
    def case(what, *inputs, opset="opset3"):
        constants = tuple(i for i in (3, 4) if i < len(inputs))
        return Case("EmbeddingSegmentsSum-3", what, "EmbeddingSegmentsSum", opset, list(inputs), constants=constants)

    def random():
        data = table(rng)
        kind = str(rng.choice(["i32", "i64"]))
        counts = sizes(rng, int(rng.integers(1, 6)), False)
        ids = np.repeat(np.arange(len(counts)), counts)
        inputs = [data, draw.indices(rng, kind, ids.shape, data.shape[0]), tensor(kind, ids),
                  tensor(kind, len(counts) + int(rng.integers(2)))]
        if rng.integers(2):
            inputs.append(tensor(kind, int(rng.integers(0, data.shape[0]))))
            if rng.integers(2):
                inputs.append(factors(rng, data.element, ids.shape))
        return case("random", *inputs, opset=f"opset{rng.integers(3, 17)}")

    yield from (random() for _ in range(130))
    d, i, s = tensor("f32", np.arange(12).reshape(4, 3)), tensor("i32", [0, 2, 3, 3]), tensor("i32", [0, 0, 2, 2])
    n, zero = tensor("i32", 3), tensor("i32", 0)
    yield case("random", d, i, s, n)
    yield case("ids above num_segments", d, i, s, tensor("i32", 2))
    yield case("fewer segment ids", d, i, tensor("i32", [0, 0, 2]), n)
    yield case("indices of floats", d, tensor("f32", [0, 2, 3, 3]), s, n)
    yield case("no num_segments", d, i, s)
    yield case("num_segments of two elements", d, i, s, tensor("i32", [3, 4]))
    yield case("fewer weights", d, i, s, n, zero, tensor("f32", [1, 2, 3]))
    yield case("earlier opset", d, i, s, n, opset="opset2")


def segment_max(rng):
    def case(what, *inputs, opset="opset16", **attributes):
        return Case("SegmentMax-16", what, "SegmentMax", opset, list(inputs), attributes,
                    constants=tuple(range(1, len(inputs))))

    def random():
        element = str(rng.choice(["f32", "f32", "i32", "i64", "f16", "bf16", "f64", "u8", "i8"]))
        counts = sizes(rng, int(rng.integers(1, 6)), False)
        ids = np.repeat(np.arange(len(counts)), counts)
        data = draw.data(rng, element, [len(ids)] + draw.dims(rng, int(rng.integers(0, 3))))
        mode = str(rng.choice(["ZERO", "LOWEST"]))
        if element in ("f64", "i64", "f16", "bf16"):
            mode = "ZERO"  # the lowest number of the type that the device computes in
        inputs = [data, tensor(str(rng.choice(["i32", "i64"])), ids)]
        if rng.integers(2):
            inputs.append(tensor(str(rng.choice(["i32", "i64"])), max(1, len(counts) + int(rng.integers(-1, 2)))))
        return case("random", *inputs, fill_mode=mode)

    yield from (random() for _ in range(130))
    d, s, n = tensor("f32", np.arange(12).reshape(4, 3)), tensor("i32", [0, 0, 2, 2]), tensor("i64", 3)
    yield case("random", d, s, n, fill_mode="LOWEST")
    yield case("no fill_mode", d, s, n)
    yield case("unknown fill_mode", d, s, n, fill_mode="HIGHEST")
    yield case("fewer segment ids", d, tensor("i32", [0, 0, 2]), n, fill_mode="ZERO")
    yield case("segment ids of floats", d, tensor("f32", [0, 0, 2, 2]), n, fill_mode="ZERO")
    yield case("segment ids out of order", d, tensor("i32", [2, 2, 0, 0]), n, fill_mode="ZERO")
    yield case("NaN", tensor("f32", [1, np.nan, np.nan, 2]), s, n, fill_mode="ZERO")
    yield case("minus infinity", tensor("f32", [-np.inf, -np.inf, 1, 2]), s, n, fill_mode="ZERO")
    yield case("earlier opset", d, s, n, opset="opset15", fill_mode="ZERO")
