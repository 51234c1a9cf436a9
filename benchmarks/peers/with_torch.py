"""The cases in PyTorch."""

import time
import warnings

import torch

import torch_autograd
import torch_bag
import torch_policy
import torch_scatter
import torch_segment
from case import Cannot


class Torch:
    """Every way that PyTorch has to do a case is tried, and the fastest is timed."""

    def __init__(self):
        warnings.simplefilter("ignore")  # index_reduce is said to be in beta, scatter(reduce=…) to go away
        self.version = torch.__version__
        torch.set_grad_enabled(False)

    def load(self, case):
        if case.op == "GatherTree" or case.op.startswith("Table"):
            raise Cannot
        self.case = case
        self.base = self.tensor(case.values)
        self.data = case.view(self.base)
        self.indices = [torch.from_numpy(x) for x in case.index_values]
        self.updates, self.weights = self.tensor(case.update_values), self.tensor(case.weight_values)

    def tensor(self, values):
        if values is None:
            return None
        t = torch.from_numpy(values)
        return t.view(torch.bfloat16) if self.case.dtype == "bfloat16" else t

    def prepare(self, threads):
        torch.set_num_threads(threads)
        c = self.case
        if c.owns_data:
            self.out = c.view(self.base.clone())
        elif c.mode in ("backward", "step"):
            self.out = None  # autograd makes its results
        else:
            self.out = torch.empty(c.out_shape, dtype=self.data.dtype)
        ways = {}
        for x in self.indices:
            for name, call in self.ways(x):
                ways.setdefault(name, []).append(call)
        if c.random:
            ways = {name: calls for name, calls in ways.items() if works(calls[0])}
        if not ways:
            raise Cannot
        name = fastest(ways) if len(ways) > 1 else next(iter(ways))
        if c.owns_data:
            self.out.copy_(self.data)  # which the trial has changed
        self.calls = ways[name]
        return name

    def result(self):
        made = self.calls[0]()
        if self.out is not None:
            made = [self.out]
        flat = torch.cat([t.reshape(-1) for t in made])
        return (flat.view(torch.int16) if self.case.dtype == "bfloat16" else flat).numpy()

    def threads(self, n):
        torch.set_num_threads(n)

    def ways(self, x):
        """Names and calls for one index set."""
        c = self.case
        if c.op.startswith("EmbeddingBag"):
            return torch_bag.ways(c, self.data, x, self.updates, self.out)
        if c.policy:
            return torch_policy.ways(c, self.data, x, self.updates, self.out)
        if c.op.startswith("Segment"):
            return torch_segment.ways(c, self.data, x, self.out)
        if c.mode == "backward":
            return torch_autograd.backward(c, self.data, x, self.updates, self.weights)
        if c.mode == "step":
            return torch_autograd.step(c, self.data, x, self.updates, self.weights)
        if c.mode != "gather":
            return torch_scatter.ways(c, self.data, x, self.updates, self.out)
        if c.op == "Gather":
            return self.gather(x)
        if c.op == "GatherElements":
            return [("gather", lambda: torch.gather(self.data, c.axis, x, out=self.out))]
        return self.gather_nd(x)

    def gather(self, x):
        c = self.case
        flat = x.reshape(-1)
        shape = c.data[: c.axis] + [flat.numel()] + c.data[c.axis + 1 :]
        out = self.out.view(shape)
        ways = [("index_select", lambda: torch.index_select(self.data, c.axis, flat, out=out))]
        if len(c.data) == 1:
            ways.append(("gather", lambda: torch.gather(self.data, 0, flat, out=out)))
            ways.append(("take", lambda: torch.take(self.data, flat, out=out)))
        return ways

    def gather_nd(self, x):
        index = torch_scatter.tuples(self.case, x)
        return [("index", lambda: torch.ops.aten.index.Tensor_out(self.data, index, out=self.out))]


def works(call):
    try:
        call()
    except Exception:  # PyTorch has several kinds for a dtype that it lacks
        return False
    return True


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
