"""OpenVINO IR as text: one layer, and the smallest model around it.

OpenVINO reads the very layer that the Go test reads, so both judge the same
text: attributes, their spelling and their ranges are part of what is compared.
"""

from dataclasses import dataclass, field

import numpy as np

# Element types by the names OpenVINO gives them. bfloat16 is kept as its bits.
ELEMENTS = {
    "boolean": np.bool_,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "bf16": np.uint16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "string": object,
}
PRECISIONS = {"boolean": "BOOL", "f16": "FP16", "f32": "FP32", "f64": "FP64", "string": "STRING"}


@dataclass
class Tensor:
    element: str
    values: np.ndarray

    @property
    def shape(self):
        return self.values.shape


def tensor(element, values):
    """A tensor of the element type from plain numbers, also for bf16."""
    if element == "bf16":
        bits = np.array(values, np.float32).view(np.uint32)
        assert not np.any(bits & 0xFFFF), f"{values} cannot be written in bfloat16"
        return Tensor(element, (bits >> 16).astype(np.uint16))
    return Tensor(element, np.array(values, ELEMENTS[element]))


@dataclass
class Case:
    operator: str  # row of the version table, such as Gather-8
    what: str  # what is special; "random" for a case that must simply agree
    type: str
    version: str
    inputs: list
    attributes: dict = field(default_factory=dict)
    axis_at: int | None = None  # the input that is a constant, because shapes depend on it
    constants: tuple = ()  # more of those

    def is_constant(self, i):
        return i == self.axis_at or i in self.constants


def port(number, element, shape):
    dims = "".join(f"<dim>{n}</dim>" for n in shape)
    return f'<port id="{number}" precision="{PRECISIONS.get(element, element.upper())}">{dims}</port>'


def layer(case, number=0, output=None):
    """The case's layer. output is the shape of its result, if it has one."""
    attributes = "".join(f' {name}="{value}"' for name, value in case.attributes.items())
    data = f"<data{attributes}/>" if attributes else ""
    inputs = "".join(port(i, t.element, t.shape) for i, t in enumerate(case.inputs))
    outputs = ""
    if output is not None:
        outputs = f"<output>{port(len(case.inputs), case.inputs[0].element, output)}</output>"
    return (
        f'<layer id="{number}" name="{case.operator}" type="{case.type}" version="{case.version}">'
        f"{data}<input>{inputs}</input>{outputs}</layer>"
    )


def model(case):
    """An IR model that consists of the case's layer, as (xml, weights)."""
    layers, edges, weights = [], [], b""
    result = len(case.inputs)
    for i, t in enumerate(case.inputs):
        shape = ",".join(map(str, t.shape))
        place, kind = "", "Parameter"
        if case.is_constant(i):
            kind, place = "Const", f' offset="{len(weights)}" size="{t.values.nbytes}"'
            weights += t.values.tobytes()
        layers.append(
            f'<layer id="{i}" name="input{i}" type="{kind}" version="opset1">'
            f'<data element_type="{t.element}" shape="{shape}"{place}/>'
            f"<output>{port(0, t.element, t.shape)}</output></layer>"
        )
        edges.append(f'<edge from-layer="{i}" from-port="0" to-layer="{result}" to-port="{i}"/>')
    # OpenVINO infers shapes anew, so the dims of the output ports need not be known here.
    layers.append(layer(case, result, output=()))
    layers.append(
        f'<layer id="{result + 1}" name="result" type="Result" version="opset1">'
        f"<input>{port(0, case.inputs[0].element, ())}</input></layer>"
    )
    edges.append(
        f'<edge from-layer="{result}" from-port="{result}" to-layer="{result + 1}" to-port="0"/>'
    )
    xml = (
        '<?xml version="1.0"?><net name="case" version="11">'
        f'<layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
    )
    return xml, weights
