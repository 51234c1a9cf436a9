"""The cases in OpenVINO."""

import numpy as np
import openvino as ov
from openvino import opset1, opset3, opset8, opset12, opset15

from case import Cannot

# As its operators call them.
REDUCE = {"none": "none", "add": "sum", "sub": "sub", "mul": "prod", "min": "min", "max": "max", "mean": "mean"}


class OpenVINO:
    """A compiled model and, for each index set, a request with all its tensors bound."""

    def __init__(self):
        self.core = ov.Core()
        self.version = ov.__version__.split("-")[0]

    def load(self, case):
        bag = case.op == "EmbeddingBagPacked" and (case.mode == "gradient" or case.reduction == "max")
        if case.mode in ("backward", "step") or case.layout or case.policy or case.dtype == "bfloat16" or bag or case.op.startswith(("Segment", "Table")):
            raise Cannot
        self.case = case

    def prepare(self, threads):
        c = self.case
        self.calls = []
        out = c.values.copy() if c.owns_data else np.zeros(c.out_shape, c.values.dtype)
        compiled = self.core.compile_model(self.model(), "CPU", {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            # Without the hint some processors compute in bfloat16.
            "INFERENCE_PRECISION_HINT": "f32",
        })
        # Where data itself is changed, the output is bound to its memory.
        given = [ov.Tensor(out if c.owns_data else c.values, shared_memory=True)]
        written = ov.Tensor(out, shared_memory=True)
        updates = [] if c.update_values is None else [ov.Tensor(c.update_values, shared_memory=True)]
        for x in c.scatter_values:
            request = compiled.create_infer_request()
            for i, tensor in enumerate(given + [ov.Tensor(x, shared_memory=True)] + updates):
                request.set_input_tensor(i, tensor)
            request.set_output_tensor(0, written)
            self.calls.append(self.call(request))
        self.out = out
        return ""

    def call(self, request):
        """infer of the Python class makes dictionaries of the tensors; its base class does not."""
        infer = super(type(request), request).infer
        arguments = ({}, True, True)
        return lambda: infer(*arguments)

    def result(self):
        self.calls[0]()
        return self.out

    def model(self):
        c = self.case
        kind = c.values.dtype.type
        data = opset8.parameter(c.data, kind)
        if c.op == "GatherTree":
            parents = opset8.parameter(c.indices, kind)
            lengths, end = np.full(c.data[1], c.data[0], kind), kind(100)
            return ov.Model([opset1.gather_tree(data, parents, lengths, end)], [data, parents])
        if c.mode == "gather":
            indices = opset8.parameter(c.indices, np.int64)
            return ov.Model([self.gather(data, indices)], [data, indices])
        gradient = c.mode == "gradient"
        indices = opset8.parameter(c.scatter["indices"] if gradient else c.indices, np.int64)
        updates = opset8.parameter(c.updates_shape, kind)
        return ov.Model([self.scatter(data, indices, updates)], [data, indices, updates])

    def gather(self, data, indices):
        c = self.case
        if c.op == "EmbeddingBagPacked":
            return opset15.embedding_bag_packed(data, indices, reduction=REDUCE[c.reduction])
        if c.op == "Gather":
            return opset8.gather(data, indices, np.int64(c.axis))
        if c.op == "GatherElements":
            return opset8.gather_elements(data, indices, c.axis)
        return opset8.gather_nd(data, indices, c.batch_dims)

    def scatter(self, data, indices, updates):
        c = self.case
        if c.op == "ScatterUpdate":
            return opset3.scatter_update(data, indices, updates, np.int64(c.axis))
        reduction = "sum" if c.mode == "gradient" else REDUCE[c.reduction]
        if c.scatter["op"] == "ScatterElements":
            return opset12.scatter_elements_update(
                data, indices, updates, np.int64(c.scatter["axis"]), reduction=reduction, use_init_val=not c.without_old)
        if c.without_old or reduction == "mean":
            raise Cannot
        return opset15.scatter_nd_update(data, indices, updates, reduction=reduction)
