"""PyTorch's reductions of segments, and a softmax made of them."""

import torch

# As segment_reduce and scatter_reduce call them.
REDUCE = {
    "SegmentSum": ("sum", "sum"),
    "SegmentMean": ("mean", "mean"),
    "SegmentMin": ("min", "amin"),
    "SegmentMax": ("max", "amax"),
    "SegmentProd": ("prod", "prod"),
}


def ways(c, data, ids, out):
    wide = ids.reshape([-1] + [1] * (data.dim() - 1)).expand(data.shape)
    if c.op == "SegmentSoftmax":
        return [("scatter_reduce and index_select", lambda: softmax(data, ids, wide, out))]
    of_lengths, of_ids = REDUCE[c.op]

    def reduce():
        lengths = torch.bincount(ids, minlength=out.shape[0])
        out.data = torch.segment_reduce(data, of_lengths, lengths=lengths, axis=0)
        return [out]

    def scatter():
        out.zero_().scatter_reduce_(0, wide, data, of_ids, include_self=False)

    def index():
        out.zero_()
        if of_ids == "sum":
            out.index_add_(0, ids, data)
        else:
            out.index_reduce_(0, ids, data, of_ids, include_self=False)

    return [("segment_reduce", reduce), ("scatter_reduce", scatter), ("index_add" if of_ids == "sum" else "index_reduce", index)]


def softmax(data, ids, wide, out):
    groups = (int(ids[-1]) + 1,) + data.shape[1:]
    most = data.new_zeros(groups).scatter_reduce_(0, wide, data, "amax", include_self=False)
    torch.sub(data, most.index_select(0, ids), out=out).exp_()
    total = data.new_zeros(groups).scatter_reduce_(0, wide, out, "sum")
    out.div_(total.index_select(0, ids))
