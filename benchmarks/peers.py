"""Runs the cases in PyTorch or OpenVINO when the Go program beside this file asks for it.

    python peers.py torch|openvino

Requests come as lines of JSON on standard input, replies go to standard output: see remote.go.
"""

import json
import pathlib
import signal
import sys
import time

import numpy as np


class Cannot(Exception):
    """The library has no such operator."""


class Case:
    """A case and its tensors, read from the files in a folder."""

    def __init__(self, request):
        self.__dict__.update(request["case"])
        self.adds = self.mode != "gather"
        self.owns_data = self.mode in ("in place", "gradient")
        self.out_shape, self.updates_shape = request["out"], request["updates"]
        self.scatter = request["scatter"]
        folder = pathlib.Path(request["dir"])

        def read(name, kind, shape):
            return np.fromfile(folder / f"{name}.bin", kind).reshape(shape)

        def rotation(name, shape):
            return [read(f"{name}-{chr(ord('a') + s)}", np.int64, shape) for s in range(self.sets)]

        self.values = read("data", np.float32, self.data)
        self.update_values = read("updates", np.float32, self.updates_shape) if self.adds else None
        self.index_values = rotation("indices", self.indices)
        self.scatter_values = rotation("scatter", self.scatter["indices"]) if self.mode == "gradient" else self.index_values


class Torch:
    """Every way that PyTorch has to do a case is tried, and the fastest is timed."""

    def __init__(self):
        import torch

        self.torch = torch
        self.version = torch.__version__
        torch.set_grad_enabled(False)

    def load(self, case):
        t = self.torch
        self.case = case
        self.data = t.from_numpy(case.values)
        self.indices = [t.from_numpy(x) for x in case.index_values]
        self.updates = t.from_numpy(case.update_values) if case.adds else None

    def prepare(self, threads):
        self.torch.set_num_threads(threads)
        self.out = self.data.clone() if self.case.owns_data else self.torch.empty(self.case.out_shape)
        ways = {}
        for x in self.indices:
            for name, call in self.ways(x):
                ways.setdefault(name, []).append(call)
        if not ways:
            raise Cannot
        name = fastest(ways) if len(ways) > 1 else next(iter(ways))
        if self.case.owns_data:
            self.out.copy_(self.data)  # which the trial has changed
        self.calls = ways[name]
        return name

    def result(self):
        self.calls[0]()
        return self.out.numpy()

    def ways(self, x):
        """Names and calls for one index set."""
        c = self.case
        if c.op == "Gather" and c.mode == "gather":
            return self.gather(x)
        if c.op == "GatherElements" and c.mode == "gather":
            return [("gather", lambda: self.torch.gather(self.data, c.axis, x, out=self.out))]
        if c.op == "GatherND" and c.mode == "gather":
            return self.gather_nd(x)
        if c.op in ("ScatterElements", "GatherElements"):
            return self.scatter_elements(x)
        if c.op == "Gather":
            return self.index_add(x.reshape(-1), c.axis)
        if c.op == "ScatterND" and c.indices[-1] == 1:
            return self.index_add(x.reshape(-1), 0) + self.index_put(x)
        return self.index_put(x)

    def gather(self, x):
        t, c = self.torch, self.case
        flat = x.reshape(-1)
        shape = c.data[: c.axis] + [flat.numel()] + c.data[c.axis + 1 :]
        out = self.out.view(shape)
        ways = [("index_select", lambda: t.index_select(self.data, c.axis, flat, out=out))]
        if len(c.data) == 1:
            ways.append(("gather", lambda: t.gather(self.data, 0, flat, out=out)))
            ways.append(("take", lambda: t.take(self.data, flat, out=out)))
        return ways

    def gather_nd(self, x):
        index = self.tuples(x)
        return [("index", lambda: self.torch.ops.aten.index.Tensor_out(self.data, index, out=self.out))]

    def tuples(self, x):
        """One index tensor per axis, with the batch axes spelled out. Not timed."""
        t, b = self.torch, self.case.batch_dims
        rest = x.dim() - 1
        index = []
        for axis in range(b):
            shape = [1] * rest
            shape[axis] = x.shape[axis]
            index.append(t.arange(x.shape[axis]).reshape(shape))
        return index + [x[..., i].contiguous() for i in range(x.shape[-1])]

    def into(self, add, copying=None):
        """A call that adds in place, or to a copy."""
        if self.case.owns_data:
            return add
        if copying is not None:
            return copying

        def copy_and_add():
            self.out.copy_(self.data)
            add()

        return copy_and_add

    def scatter_elements(self, x):
        t, axis, u = self.torch, self.case.axis, self.updates
        return [("scatter_add", self.into(
            lambda: self.out.scatter_add_(axis, x, u),
            lambda: t.scatter_add(self.data, axis, x, u, out=self.out)))]

    def index_add(self, flat, axis):
        t, c = self.torch, self.case
        u = self.updates.reshape(c.data[:axis] + [flat.numel()] + c.data[axis + 1 :])
        ways = [("index_add", self.into(
            lambda: self.out.index_add_(axis, flat, u),
            lambda: t.index_add(self.data, axis, flat, u, out=self.out)))]
        if len(c.data) == 1:
            ways.append(("scatter_add", self.into(lambda: self.out.scatter_add_(0, flat, u))))
        return ways

    def index_put(self, x):
        c, u = self.case, self.updates
        index = self.tuples(x)
        ways = [("index_put", self.into(lambda: self.out.index_put_(index, u, accumulate=True)))]
        if len(index) == len(c.data) and len(index) > 1:
            flat_u, flat_out = u.reshape(-1), self.out.view(-1)

            def flattened():
                at = index[0]
                for size, i in zip(c.data[1:], index[1:]):
                    at = at * size + i
                flat_out.scatter_add_(0, at.reshape(-1), flat_u)

            ways.append(("flat scatter_add", self.into(flattened)))
        return ways


class OpenVINO:
    """A compiled model and, for each index set, a request with all its tensors bound."""

    def __init__(self):
        import openvino

        self.ov = openvino
        self.core = openvino.Core()
        self.version = openvino.__version__.split("-")[0]

    def load(self, case):
        self.case = case

    def prepare(self, threads):
        ov, c = self.ov, self.case
        self.calls = []
        out = c.values.copy() if c.owns_data else np.zeros(c.out_shape, np.float32)
        compiled = self.core.compile_model(self.model(), "CPU", {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            # Without the hint some processors compute in bfloat16.
            "INFERENCE_PRECISION_HINT": "f32",
        })
        # Where data itself is added to, the output is bound to its memory.
        given = [ov.Tensor(out if c.owns_data else c.values, shared_memory=True)]
        written = ov.Tensor(out, shared_memory=True)
        updates = [ov.Tensor(c.update_values, shared_memory=True)] if c.adds else []
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
        from openvino import opset8, opset12, opset15

        ov, c = self.ov, self.case
        data = opset8.parameter(c.data, np.float32)
        indices = opset8.parameter(c.scatter["indices"] if c.adds else c.indices, np.int64)
        inputs = [data, indices]
        if not c.adds:
            if c.op == "Gather":
                node = opset8.gather(data, indices, np.int64(c.axis))
            elif c.op == "GatherElements":
                node = opset8.gather_elements(data, indices, c.axis)
            else:
                node = opset8.gather_nd(data, indices, c.batch_dims)
        else:
            updates = opset8.parameter(c.updates_shape, np.float32)
            inputs.append(updates)
            if c.scatter["op"] == "ScatterElements":
                node = opset12.scatter_elements_update(data, indices, updates, np.int64(c.scatter["axis"]), reduction="sum")
            else:
                node = opset15.scatter_nd_update(data, indices, updates, reduction="sum")
        return ov.Model([node], inputs)


def fastest(ways):
    """The name of the way with the fastest call. They take turns, and only the best of many calls counts: with several
    threads, one call that the system interrupts can take as long as a hundred others."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(5):
        for name, calls in ways.items():
            begin = time.perf_counter()
            for call in calls:
                start = time.perf_counter()
                call()
                end = time.perf_counter()
                best[name] = min(best[name], end - start)
                if end - begin > 0.1:
                    break
    return min(best, key=best.get)


class Worker:
    def __init__(self, library):
        self.library = library
        self.next = 0

    def answer(self, request):
        do = request["do"]
        if do == "hello":
            return {"version": self.library.version}
        if do == "load":
            self.library.calls = self.library.case = None  # before more memory is taken
            self.library.load(Case(request))
            return {}
        if do == "prepare":
            self.next = 0
            return {"call": self.library.prepare(request["threads"])}
        if do == "result":
            self.library.result().tofile(pathlib.Path(request["dir"]) / "result.bin")
            return {}
        if do == "sample":
            return {"seconds": self.sample(request["n"])}
        return {"error": f"cannot {do}"}

    def sample(self, n):
        calls = self.library.calls
        order = [calls[(self.next + i) % len(calls)] for i in range(n)]
        self.next = (self.next + n) % len(calls)
        start = time.perf_counter()
        for call in order:
            call()
        return time.perf_counter() - start


def main():
    # The Go program hears of Ctrl-C, too, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker({"torch": Torch, "openvino": OpenVINO}[sys.argv[1]]())
    for line in sys.stdin:
        try:
            reply = worker.answer(json.loads(line))
        except Cannot:
            reply = {"cannot": True}
        except Exception as error:  # of whatever kind: the Go program stops and shows it
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


main()
