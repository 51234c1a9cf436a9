"""Indices out of range in PyTorch, which refuses them: they are clamped before a gather. Of a scatter
the good updates are selected, the bad ones are made 0, or they go to a slot of their own at the end."""

import torch

import torch_segment
from torch_scatter import flat_index, tuples


def ways(c, data, x, updates, out):
    """Names and calls for one index set."""
    if c.op.startswith("Segment"):
        return segments(c, data, x, out)
    if c.policy == "clamp":
        return clamped(c, data, x, out)
    if c.op == "ScatterElements":
        return elements(data, c.axis, x, updates, out)
    if c.op == "ScatterND" and c.indices[-1] > 1:
        return flat(c, data, tuples(c, x), updates, out)
    return rows(c, data, x.reshape(-1), updates, out)


def clamped(c, data, x, out):
    if c.op == "GatherElements":
        return [("clamp, gather", lambda: torch.gather(data, c.axis, x.clamp(0, data.shape[c.axis] - 1), out=out))]
    if c.op == "Gather":
        last = data.shape[0] - 1
        ways = [("clamp, index_select", lambda: torch.index_select(data, 0, x.clamp(0, last), out=out))]
        if data.dim() == 1:
            ways.append(("clamp, gather", lambda: torch.gather(data, 0, x.clamp(0, last), out=out)))
            ways.append(("clamp, take", lambda: torch.take(data, x.clamp(0, last), out=out)))
        return ways
    index = tuples(c, x)
    sizes = data.shape[: len(index)]
    return [("clamp, index", lambda: torch.ops.aten.index.Tensor_out(data, [i.clamp(0, n - 1) for i, n in zip(index, sizes)], out=out))]


def good(x, n):
    return (x >= 0) & (x < n)


def with_slot(data, axis, out, change):
    """A call that changes a copy of data with one more slot at the end of an axis."""
    shape = list(data.shape)
    shape[axis] += 1
    wide = torch.empty(shape, dtype=data.dtype)
    kept = wide.narrow(axis, 0, data.shape[axis])

    def call():
        kept.copy_(data)
        change(wide)
        out.data = kept

    return call


def elements(data, axis, x, u, out):
    n = data.shape[axis]

    def zeroed():
        bad = ~good(x, n)
        torch.scatter_add(data, axis, x.masked_fill(bad, 0), u.masked_fill(bad, 0), out=out)

    return [
        ("masked_fill, scatter_add", zeroed),
        ("slot, scatter_add", with_slot(data, axis, out, lambda wide: wide.scatter_add_(axis, x.masked_fill(~good(x, n), n), u))),
    ]


def rows(c, data, x, u, out):
    """One index for each row of updates."""
    n = data.shape[0]

    def change(into, index, values):
        if c.reduction == "add":
            into.index_add_(0, index, values)
        else:
            into.index_copy_(0, index, values)

    def selected():
        ok = good(x, n)
        out.copy_(data)
        change(out, x[ok], u[ok])

    def zeroed():
        bad = ~good(x, n)
        out.copy_(data)
        change(out, x.masked_fill(bad, 0), u.masked_fill(bad.unsqueeze(1), 0))

    ways = [("select", selected), ("slot", with_slot(data, 0, out, lambda wide: change(wide, x.masked_fill(~good(x, n), n), u)))]
    return ways + [("masked_fill", zeroed)] if c.reduction == "add" else ways


def flat(c, data, index, u, out):
    """Tuples that pick single elements."""
    u = u.reshape(-1)

    def all_good():
        ok = good(index[0], data.shape[0])
        for i, n in zip(index[1:], data.shape[1:]):
            ok &= good(i, n)
        return ok

    def selected():
        ok = all_good()
        out.copy_(data)
        out.index_put_([i[ok] for i in index], u[ok], accumulate=True)

    def selected_flat():
        ok = all_good()
        out.copy_(data)
        out.view(-1).scatter_add_(0, flat_index(c, index)[ok], u[ok])

    def zeroed():
        bad = ~all_good()
        out.copy_(data)
        out.view(-1).scatter_add_(0, flat_index(c, index).masked_fill_(bad, 0), u.masked_fill(bad, 0))

    return [("select, index_put", selected), ("select, flat scatter_add", selected_flat), ("masked_fill, flat scatter_add", zeroed)]


def segments(c, data, ids, out):
    """The ids ascend, so that the good ones are a range."""
    n = out.shape[0]

    def of(select, name):
        rows, index = select()
        dict(torch_segment.ways(c, rows, index, out))[name]()

    def selected():
        ok = good(ids, n)
        return data[ok], ids[ok]

    def sliced():
        low, high = torch.searchsorted(ids, torch.tensor([0, n])).tolist()
        return data[low:high], ids[low:high]

    names = [name for name, _ in torch_segment.ways(c, data, ids, out)]
    selects = {"select": selected, "slice": sliced}
    return [(f"{way}, {name}", lambda s=select, name=name: of(s, name)) for way, select in selects.items() for name in names]
