"""Cases of Gather, GatherElements, GatherND and GatherTree."""

import numpy as np

import draw
from ir import Case, tensor


def gather(rng, version):
    opsets = {1: (1, 6), 7: (7, 7), 8: (8, 16)}[version]

    def case(what, data, indices, axis, batch_dims=None, opset=None, **attributes):
        if batch_dims is not None:
            attributes["batch_dims"] = batch_dims
        return Case(f"Gather-{version}", what, "Gather", opset or f"opset{opsets[0]}",
                    [data, indices, axis], attributes, axis_at=2)

    def random():
        what = "random"
        r, q = int(rng.integers(1, 5)), int(rng.integers(0, 4))
        s, i = draw.dims(rng, r), draw.dims(rng, q)
        a, b, batch_dims = int(rng.integers(r)), 0, None
        if version > 1 and rng.integers(4):
            b = int(rng.integers(0, min(a, q) + 1))
            i[:b] = s[:b]
            batch_dims = b - q if b < q and rng.integers(3) == 0 else b
            if batch_dims < -r:
                what = "batch_dims below minus the rank of data"
        element = str(rng.choice(draw.ANY))
        kind = str(rng.choice(draw.INTEGERS))
        indices = draw.indices(rng, kind, i, s[a], negative=version == 8)
        return case(what, draw.data(rng, element, s), indices, draw.axis(rng, a, r),
                    batch_dims, f"opset{rng.integers(opsets[0], opsets[1] + 1)}")

    def outside(what, choices):
        """Out of range. Data of rank 1 is left out: for some types the device
        has a shortcut there which reads past the end."""
        s, a = draw.dims(rng, 3), int(rng.integers(3))
        indices = tensor(rng.choice(draw.SIGNED), rng.choice(choices(s[a]), draw.dims(rng, 2)))
        indices.values.flat[0] = choices(s[a])[0]
        return case(what, draw.data(rng, str(rng.choice(draw.ANY)), s), indices, draw.axis(rng, a, 3))

    yield from (random() for _ in range(120))
    if version == 8:
        yield from (outside("random", lambda n: [n, -n - 1, 0, -1, 100, -100]) for _ in range(12))
    else:
        yield from (outside("index out of range", lambda n: [n, n + 7, 0, 1]) for _ in range(4))
        yield from (outside("negative index", lambda n: [-1, -n, 0, 1]) for _ in range(4))

    d, x, zero = tensor("f32", np.arange(12).reshape(3, 4)), tensor("i32", [2, 0]), tensor("i64", 0)
    one = tensor("i32", [1])
    yield case("random", d, tensor("i64", 2), zero)
    yield case("random", tensor("string", ["a", "", "ccc"]), tensor("i64", [2, 2, 0, 1]), zero)
    yield case("indices of floats", d, tensor("f32", [1, 0]), zero)
    yield case("boolean indices", d, tensor("boolean", [True]), zero)
    yield case("axis of floats", d, x, tensor("f32", 0))
    yield case("axis 2 of rank 2", d, x, tensor("i64", 2))
    yield case("axis -3 of rank 2", d, x, tensor("i64", -3))
    yield case("axis of two elements", d, x, tensor("i64", [0, 1]))
    yield case("scalar data", tensor("f32", 3), tensor("i32", [0]), zero)
    yield case("64-bit data", tensor("i64", [2**40, 5, -(2**35)]), x, zero)
    yield case("doubles", tensor("f64", [1e300, 0.1, 2]), x, zero)
    yield case("opset0", d, x, zero, opset="opset0")
    yield case("opset17", d, x, zero, opset="opset17")
    yield case("opset18", d, x, zero, opset="opset18")
    yield case("unknown attribute", d, x, zero, mode="clip")
    batch = tensor("i32", [[1, 2], [0, 0], [3, 1]])
    if version == 1:
        yield case("batch_dims attribute", d, batch, one, batch_dims=1)
        return
    yield case("random", d, batch, one, batch_dims=-1)
    yield case("random", d, tensor("i32", [3, 0, 1]), one, batch_dims=1)
    yield case("batch_dims above axis", d, batch, zero, batch_dims=1)
    yield case("batch_dims above the rank of indices", tensor("f32", np.zeros((3, 4, 5))), x, tensor("i64", 2), 2)
    yield case("batch dims differ", d, tensor("i32", [[1], [0]]), one, batch_dims=1)
    yield case("batch_dims not a number", d, x, one, batch_dims="one")
    if version == 8:
        yield case("64-bit index", d, tensor("i64", [2**32]), zero)


def gather_elements(rng):
    def case(what, data, indices, axis, opset="opset6", **attributes):
        if axis is not None:
            attributes["axis"] = axis
        return Case("GatherElements-6", what, "GatherElements", opset, [data, indices], attributes)

    def random():
        r = int(rng.integers(1, 5))
        s, a = draw.dims(rng, r), int(rng.integers(r))
        i = s[:a] + [int(rng.integers(1, 9))] + s[a + 1:]
        indices = draw.indices(rng, str(rng.choice(["i32", "i64"])), i, s[a], negative=rng.integers(2))
        return case("random", draw.data(rng, str(rng.choice(draw.ANY)), s), indices,
                    a - r * int(rng.integers(2)), f"opset{rng.integers(6, 17)}")

    yield from (random() for _ in range(130))
    d, x = tensor("f32", np.arange(12).reshape(3, 4)), tensor("i32", [[1], [3], [0]])
    yield case("random", d, tensor("i64", np.zeros((3, 0))), 1)
    yield case("no axis", d, tensor("i32", [[1, 2, 0, 0]]), None)
    yield case("axis 2 of rank 2", d, x, 2)
    yield case("axis -3 of rank 2", d, x, -3)
    yield case("axis not a number", d, x, "last")
    yield case("indices of u8", d, tensor("u8", [[1], [3], [0]]), 1)
    yield case("indices of i16", d, tensor("i16", [[1], [3], [0]]), 1)
    yield case("indices of floats", d, tensor("f32", [[1], [3], [0]]), 1)
    yield case("smaller than data beside the axis", d, tensor("i32", [[1], [3]]), 1)
    yield case("larger than data beside the axis", d, tensor("i32", [[1], [3], [0], [2]]), 1)
    yield case("ranks differ", d, tensor("i32", [1, 3]), 1)
    yield case("scalar data", tensor("f32", 3), tensor("i32", 0), 0)
    yield case("opset5", d, x, 1, opset="opset5")
    yield case("64-bit index", d, tensor("i64", [[2**32], [0], [0]]), 1)


def gather_nd(rng, version):
    opsets = {5: (5, 7), 8: (8, 16)}[version]

    def case(what, data, indices, batch_dims=None, opset=None):
        attributes = {} if batch_dims is None else {"batch_dims": batch_dims}
        return Case(f"GatherND-{version}", what, "GatherND", opset or f"opset{opsets[0]}", [data, indices], attributes)

    def random():
        r, q = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        b = int(rng.integers(0, min(r, q)))
        k = int(rng.integers(1, r - b + 1))
        s = draw.dims(rng, r)
        i = s[:b] + draw.dims(rng, q - 1)[b:]
        kind = str(rng.choice(draw.INTEGERS))
        indices = draw.tuples(rng, kind, i, s[b:b + k], negative=version == 8)
        return case("random", draw.data(rng, str(rng.choice(draw.ANY)), s), indices,
                    b if b or rng.integers(2) else None, f"opset{rng.integers(opsets[0], opsets[1] + 1)}")

    yield from (random() for _ in range(130))
    d, x = tensor("f32", np.arange(24).reshape(2, 3, 4)), tensor("i32", [[1], [0]])
    yield case("random", d, tensor("i64", np.zeros((0, 2))))
    yield case("random", d, tensor("i64", [1, 2, 3]))
    if version == 5:
        yield case("negative index", d, tensor("i32", [[-1], [0]]))
        yield case("negative index", d, tensor("i64", [[1, -3], [0, 1]]))
    yield case("more indices than axes", d, tensor("i32", [[0, 0, 0, 0]]))
    yield case("more indices than axes after the batch", d, tensor("i32", [[0, 0, 0], [0, 0, 0]]), 1)
    yield case("negative batch_dims", d, x, -1)
    yield case("batch_dims equal to the rank of indices", d, x, 2)
    yield case("batch_dims equal to the rank of data", tensor("f32", [1, 2]), x, 1)
    yield case("batch dims differ", d, tensor("i32", [[1], [0], [0]]), 1)
    yield case("batch dim of one", d, tensor("i32", [[1]]), 1)
    yield case("scalar indices", d, tensor("i32", 0))
    yield case("scalar data", tensor("f32", 3), tensor("i32", [0]))
    yield case("indices of floats", d, tensor("f32", [[1]]))
    yield case("boolean indices", d, tensor("boolean", [[1]]))
    yield case("opset4", d, x, opset="opset4")


def gather_tree(rng):
    def case(what, *inputs, opset="opset1"):
        return Case("GatherTree-1", what, "GatherTree", opset, list(inputs))

    def random():
        t, b, w = draw.dims(rng, 3)
        kind = str(rng.choice(["i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"]))
        # Few different tokens, so that the end token often comes early. A
        # sequence has at least one step: with none, the device leaves its
        # output as it found it.
        return case("random", tensor(kind, rng.integers(0, 6, (t, b, w))), tensor(kind, rng.integers(0, w, (t, b, w))),
                    tensor(kind, rng.integers(1, t + 3, b)), tensor(kind, rng.integers(0, 8)),
                    opset=f"opset{rng.integers(1, 17)}")

    yield from (random() for _ in range(130))
    steps = np.arange(24).reshape(2, 3, 4)
    parents = np.zeros((2, 3, 4))
    lengths, end = [2, 1, 2], 9

    def variant(what, kind="i32", steps=steps, parents=parents, lengths=lengths, end=end, kinds=None):
        kinds = kinds or [kind] * 4
        return case(what, *(tensor(k, v) for k, v in zip(kinds, [steps, parents, lengths, end])))

    yield variant("end_token of one element", end=[9])
    yield variant("scalar max_seq_len", lengths=2)
    yield variant("max_seq_len of another length", lengths=[2, 1])
    yield variant("shapes differ", parents=parents[:1])
    yield variant("rank 2", steps=steps[0], parents=parents[0])
    yield variant("boolean", kind="boolean", steps=steps % 2, lengths=[1, 1, 1], end=1)
    yield variant("8-bit integers", kind="i8")
    yield variant("8-bit integers", kind="u8")
    yield variant("types differ", kinds=["f32", "i32", "i32", "f32"])
    yield variant("types differ", kinds=["i32", "i64", "i64", "i32"])
    beyond = parents.copy()
    beyond[0] = 7  # nobody looks for the parent of the first step
    yield variant("parent out of range that is never followed", parents=beyond)
