#!/usr/bin/env python3
"""Makes openvino/testdata/written.xml, an IR file as OpenVINO itself writes it:
each operator once, one of them with an open dim, and one in the body of an If.

    VENV/bin/python written.py ../../openvino/testdata/written.xml
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import openvino as ov
from openvino import opset1, opset3, opset4, opset5, opset6, opset7, opset8, opset12, opset15


def model():
    f32, i64 = ov.Type.f32, ov.Type.i64
    data = opset1.parameter([3, 4, 5], f32, "data")
    indices = opset1.parameter([3, 2], i64, "indices")
    tuples = opset1.parameter([3, 4, 2, 1], i64, "tuples")
    cube = opset1.parameter([3, 4, 7], i64, "cube")
    open_dims = opset1.parameter([-1, 2], i64, "open")
    one = opset1.constant(1, i64)
    outs = [
        opset1.gather(data, indices, one, name="Gather-1"),
        opset7.gather(data, indices, one, 1, name="Gather-7"),
        opset8.gather(data, indices, opset1.constant([-1], i64), -1, name="Gather-8"),
        opset6.gather_elements(data, cube, -1, name="GatherElements-6"),
        opset5.gather_nd(data, tuples, 2, name="GatherND-5"),
        opset8.gather_nd(data, tuples, 2, name="GatherND-8"),
        opset8.gather_nd(data, open_dims, 0, name="GatherND-8 open"),
    ]
    tree = [opset1.parameter(s, ov.Type.i32, n) for s, n in [([6, 2, 3], "steps"), ([6, 2, 3], "parents"), ([2], "lengths"), ([], "end")]]
    outs.append(opset1.gather_tree(*tree, name="GatherTree-1"))
    rows = opset1.parameter([3, 2, 5], f32, "rows")
    picked = opset1.parameter([2], i64, "picked")
    outs.append(opset3.scatter_update(data, picked, rows, one, name="ScatterUpdate-3"))
    places = opset1.parameter([3, 4, 5], i64, "places")
    outs.append(opset3.scatter_elements_update(data, places, data, one, name="ScatterElementsUpdate-3"))
    outs.append(opset12.scatter_elements_update(data, places, data, one, "mean", False, name="ScatterElementsUpdate-12"))
    pairs = opset1.parameter([8, 2], i64, "pairs")
    slices = opset1.parameter([8, 5], f32, "slices")
    outs.append(opset4.scatter_nd_update(data, pairs, slices, name="ScatterNDUpdate-3"))
    outs.append(opset15.scatter_nd_update(data, pairs, slices, "sub", name="ScatterNDUpdate-15"))
    outs.append(branches(data, indices, one))
    inputs = [data, indices, tuples, cube, open_dims, *tree, rows, picked, places, pairs, slices]
    return ov.Model([opset1.result(out.output(0)) for out in outs], inputs, "written")


def branches(data, indices, axis):
    bodies = []
    for name in ["then", "else"]:
        d = opset1.parameter([3, 4, 5], ov.Type.f32, f"{name} data")
        x = opset1.parameter([3, 2], ov.Type.i64, f"{name} indices")
        out = opset8.gather(d, x, opset1.constant(1, ov.Type.i64), 1, name=f"Gather-8 {name}")
        bodies.append((ov.Model([opset1.result(out.output(0))], [d, x], name), d, x))
    choice = opset8.if_op(opset1.constant(True, ov.Type.boolean).output(0))
    (then, d1, x1), (other, d2, x2) = bodies
    choice.set_then_body(then)
    choice.set_else_body(other)
    choice.set_input(data.output(0), d1, d2)
    choice.set_input(indices.output(0), x1, x2)
    choice.set_output(then.results[0], other.results[0])
    return choice


def main():
    with TemporaryDirectory() as folder:
        xml = Path(folder) / "model.xml"
        ov.serialize(model(), xml, Path(folder) / "model.bin")
        Path(sys.argv[1]).write_text(xml.read_text())


if __name__ == "__main__":
    main()
