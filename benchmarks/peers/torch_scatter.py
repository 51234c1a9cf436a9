"""PyTorch's ways to scatter into given memory: data itself, or out, which gets a copy of data."""

import torch

# As scatter_reduce and index_reduce call them.
REDUCE = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax", "mean": "mean"}


def ways(c, data, x, updates, out):
    """Names and calls for one index set."""
    if c.mode == "gradient":
        return Scatter(c, data, x, updates, out, "add").ways()
    return Scatter(c, data, x, updates, out, c.reduction).ways()


def tuples(c, x):
    """One index tensor per axis, with the batch axes spelled out. Not timed."""
    rest = x.dim() - 1
    index = []
    for axis in range(c.batch_dims):
        shape = [1] * rest
        shape[axis] = x.shape[axis]
        index.append(torch.arange(x.shape[axis]).reshape(shape))
    return index + [x[..., i].contiguous() for i in range(x.shape[-1])]


class Scatter:
    def __init__(self, c, data, x, updates, out, reduction):
        self.c, self.data, self.x, self.u, self.out = c, data, x, updates, out
        self.reduction, self.keep = reduction, not c.without_old

    def into(self, change, copying=None):
        """A call that changes data in place, or a copy."""
        if self.c.owns_data:
            return change
        if copying is not None:
            return copying

        def copy_and_change():
            self.out.copy_(self.data)
            change()

        return copy_and_change

    def ways(self):
        c, x = self.c, self.x
        if c.op in ("ScatterElements", "GatherElements"):
            return self.elements(self.data, self.out, c.axis, x, self.u)
        if c.is_rows:
            ways = self.rows(x.reshape(-1))
            if self.reduction in ("none", "add") and self.keep and c.op == "ScatterND":
                ways += self.index_put()
            return ways
        if self.reduction == "add" and self.keep or self.reduction == "none" and c.random:
            return self.index_put() + self.flattened()
        return self.flattened()

    def elements(self, data, out, axis, x, u):
        """One index for each element of updates."""
        keep, r = self.keep, self.reduction
        if r == "none":
            return [("scatter", self.into(
                lambda: out.scatter_(axis, x, u),
                lambda: torch.scatter(data, axis, x, u, out=out)))]
        ways = []
        if r == "add" and keep:
            ways.append(("scatter_add", self.into(
                lambda: out.scatter_add_(axis, x, u),
                lambda: torch.scatter_add(data, axis, x, u, out=out))))
        elif r in REDUCE:
            name = REDUCE[r]
            ways.append(("scatter_reduce", self.into(
                lambda: out.scatter_reduce_(axis, x, u, name, include_self=keep),
                lambda: torch.scatter_reduce(data, axis, x, u, name, include_self=keep, out=out))))
        if r == "mul" and keep:
            ways.append(("scatter multiply", self.into(
                lambda: out.scatter_(axis, x, u, reduce="multiply"),
                lambda: torch.scatter(data, axis, x, u, reduce="multiply", out=out))))
        return ways

    def rows(self, flat):
        """One index for each slice of updates along an axis."""
        c, data, out, keep, r = self.c, self.data, self.out, self.keep, self.reduction
        axis = c.axis if c.op in ("Gather", "ScatterUpdate") else 0
        u = self.u.reshape(c.data[:axis] + [flat.numel()] + c.data[axis + 1 :])
        ways = []
        if r == "none":
            ways.append(("index_copy", self.into(
                lambda: out.index_copy_(axis, flat, u),
                lambda: torch.index_copy(data, axis, flat, u, out=out))))
        if r in ("add", "sub") and keep:
            alpha = 1 if r == "add" else -1
            ways.append(("index_add", self.into(
                lambda: out.index_add_(axis, flat, u, alpha=alpha),
                lambda: torch.index_add(data, axis, flat, u, alpha=alpha, out=out))))
        if r in ("mul", "min", "max", "mean"):
            name = REDUCE[r]
            ways.append(("index_reduce", self.into(
                lambda: out.index_reduce_(axis, flat, u, name, include_self=keep),
                lambda: torch.index_reduce(data, axis, flat, u, name, include_self=keep, out=out))))
        if r == "add" and len(c.data) == 1:
            ways.append(("scatter_add", self.into(lambda: out.scatter_add_(0, flat, u))))
        elif c.mode != "gradient" and len(c.data) > 1:
            shape = [1] * u.dim()
            shape[axis] = -1
            expanded = flat.reshape(shape).expand(u.shape)
            ways += [("expanded " + name, call) for name, call in self.elements(data, out, axis, expanded, u)]
        return ways

    def index_put(self):
        index, accumulate = tuples(self.c, self.x), self.reduction == "add"
        return [("index_put", self.into(lambda: self.out.index_put_(index, self.u, accumulate=accumulate)))]

    def flattened(self):
        """Tuples that pick single elements, as indices of the flat data."""
        c = self.c
        index = tuples(c, self.x)
        if len(index) != len(c.data) or len(index) == 1 or not self.out.is_contiguous():
            return []
        u, out = self.u.reshape(-1), self.out.view(-1)
        ways = []
        for name, _ in self.elements(self.data.reshape(-1), out, 0, index[0].reshape(-1), u):

            def call(name=name):
                at = flat_index(c, index).reshape(-1)
                data = self.data.reshape(-1)  # a copy if the data is not contiguous, in each call
                dict(self.elements(data, out, 0, at, u))[name]()

            ways.append(("flat " + name, call))
        return ways


def flat_index(c, index):
    at = index[0]
    for size, i in zip(c.data[1:], index[1:]):
        at = at * size + i
    return at
