"""PyTorch's bags of rows and their gradients."""

import torch
import torch.nn.functional as F

MODES = {"add": "sum", "mean": "mean", "max": "max"}


def ways(c, data, x, updates, out):
    mode = MODES[c.reduction]
    if c.mode == "gather":
        offsets = None if c.offset_values is None else torch.from_numpy(c.offset_values)

        def forward():
            out.data = F.embedding_bag(x, data, offsets, mode=mode)
            return [out]

        return [("embedding_bag", forward)]
    return gradient(data, x, updates, out, mode)


def gradient(data, x, updates, out, mode):
    """The gradient, added to what out holds: by autograd, which adds to grad, or row by row."""
    given = data.detach().requires_grad_()
    with torch.enable_grad():
        made = F.embedding_bag(x, given, mode=mode)

    def backward():
        given.grad = out
        torch.autograd.backward(made, updates, retain_graph=True, inputs=[given])

    def index_add():
        wide = updates.unsqueeze(1).expand(-1, x.shape[1], -1).reshape(-1, updates.shape[1])
        out.index_add_(0, x.reshape(-1), wide)

    return [("embedding_bag backward", backward), ("index_add", index_add)]
