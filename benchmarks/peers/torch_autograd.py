"""PyTorch's gradients: the backward pass alone, or a whole step."""

import torch

from torch_scatter import REDUCE, flat_index, tuples


def backward(c, data, x, updates, gradient):
    """The backward pass of a graph that is made beforehand and kept."""
    ways = []
    for name, scatter in forwards(c, x):
        with torch.enable_grad():
            given = data.detach().clone().requires_grad_(), updates.detach().clone().requires_grad_()
            out = scatter(*given)
        ways.append((name, lambda out=out, given=given: torch.autograd.grad(out, given, gradient, retain_graph=True)))
    return ways


def step(c, data, x, updates, weights):
    """Forward, a weighted sum or one of squares, and all gradients."""
    given = [data.detach().requires_grad_()]
    if updates is not None:
        given.append(updates.detach().requires_grad_())

    def way(forward):
        def call():
            with torch.enable_grad():
                out = forward(*given)
                loss = (out * (out if weights is None else weights)).sum()
                return torch.autograd.grad(loss, given)

        return call

    return [(name, way(forward)) for name, forward in forwards(c, x)]


def forwards(c, x):
    """Names and functions of data and updates that can be differentiated."""
    if c.op == "Gather":
        flat = x.reshape(-1)
        return [
            ("index_select", lambda data: data.index_select(c.axis, flat)),
            ("embedding", lambda data: torch.nn.functional.embedding(x, data)),
        ]
    if c.op == "ScatterElements":
        return elements(c, c.axis, x)
    if c.is_rows:
        return rows(c, x.reshape(-1))
    at = flat_index(c, tuples(c, x)).reshape(-1)
    return [
        ("flat " + name, lambda data, u, f=f: f(data.reshape(-1), u.reshape(-1)).reshape(data.shape))
        for name, f in elements(c, 0, at)
    ]


def elements(c, axis, x):
    r, keep = c.reduction, not c.without_old
    if r == "none":
        return [("scatter", lambda data, u: data.scatter(axis, x, u))]
    if r == "add" and keep:
        return [("scatter_add", lambda data, u: data.scatter_add(axis, x, u))]
    return [("scatter_reduce", lambda data, u: data.scatter_reduce(axis, x, u, REDUCE[r], include_self=keep))]


def rows(c, flat):
    r, keep = c.reduction, not c.without_old
    if r == "none":
        return [("index_copy", lambda data, u: data.index_copy(0, flat, u))]
    if r == "add" and keep:
        return [("index_add", lambda data, u: data.index_add(0, flat, u))]
    return [("index_reduce", lambda data, u: data.index_reduce(0, flat, u, REDUCE[r], include_self=keep))]
