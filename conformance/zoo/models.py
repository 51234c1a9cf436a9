"""The architectures of the zoo. Sizes come from the generator's random numbers."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm


class Words(nn.Module):
    """An embedding, its mean, a layer, log-softmax."""

    def __init__(self, r):
        super().__init__()
        d = r(3, 6)
        self.table, self.hidden, self.out = nn.Embedding(r(7, 11), d), nn.Linear(d, r(4, 7)), nn.LazyLinear(r(2, 5))

    def forward(self, words):
        return F.log_softmax(self.out(torch.relu(self.hidden(self.table(words).mean(1)))), -1)


class Encoder(nn.Module):
    """A layer of PyTorch's encoder behind an embedding; the mask tells the padding."""

    def __init__(self, r, before, activation):
        super().__init__()
        heads = r(1, 3)
        d = 2 * heads * r(1, 3)
        self.table = nn.Embedding(r(7, 11), d)
        self.layer = nn.TransformerEncoderLayer(d, heads, r(5, 9), 0.0, activation, batch_first=True, norm_first=before)
        self.norm = nn.LayerNorm(d)

    def forward(self, words, padding):
        y = self.norm(self.layer(self.table(words), src_key_padding_mask=padding))
        keep = (~padding).unsqueeze(-1).to(y.dtype)
        return (y * keep).sum(1) / keep.sum(1).clamp(min=1.0)


class Causal(nn.Module):
    """Attention to what came before, queries, keys and values from one layer."""

    def __init__(self, r):
        super().__init__()
        self.heads = r(1, 3)
        self.d = self.heads * 2 * r(1, 3)
        self.norm, self.qkv, self.out = nn.LayerNorm(self.d), nn.Linear(self.d, 3 * self.d), nn.Linear(self.d, self.d)

    def forward(self, x):
        n, steps, d = x.shape
        q, k, v = (t.view(n, steps, self.heads, d // self.heads).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(n, steps, d))


class Masked(nn.Module):
    """The same with a mask of its own, by triu."""

    def __init__(self, r):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-1, -2) / 2
        late = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        return torch.softmax(scores.masked_fill(late, float("-inf")), -1) @ self.v(x)


class Recurrent(nn.Module):
    """PyTorch's LSTM, GRU or RNN over an embedding, and a layer on the last state."""

    def __init__(self, r, kind, **options):
        super().__init__()
        d, hidden = r(2, 5), r(3, 6)
        self.table = nn.Embedding(r(7, 11), d)
        self.cell = kind(d, hidden, batch_first=True, **options)
        self.out = nn.Linear(hidden * (2 if options.get("bidirectional") else 1), r(2, 4))

    def forward(self, words):
        y, _ = self.cell(self.table(words))
        return self.out(y).mean(1)


class Conv1(nn.Module):
    def __init__(self, r):
        super().__init__()
        self.first = nn.Conv1d(3, 4, r(2, 4), padding=1)
        self.second = nn.Conv1d(4, 4, 3, stride=2, dilation=r(1, 3), groups=2, padding=2)
        self.out = nn.Linear(4, r(2, 5))

    def forward(self, x):
        y = F.max_pool1d(torch.relu(self.first(x)), 2)
        return self.out(F.avg_pool1d(self.second(y), 2).mean(-1))


class Conv2(nn.Module):
    """Two blocks of convolution, batch normalisation and pooling, in eval mode."""

    def __init__(self, r):
        super().__init__()
        c = r(2, 5)
        self.body = nn.Sequential(
            nn.Conv2d(2, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(c, c, 3, padding=1, groups=c), nn.BatchNorm2d(c), nn.LeakyReLU(0.1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(c, r(2, 5)),
        )
        for m in self.body:
            if isinstance(m, nn.BatchNorm2d):
                nn.init.normal_(m.running_mean, 0, 0.3)
                nn.init.uniform_(m.running_var, 0.5, 1.5)
                nn.init.normal_(m.weight, 1, 0.2)

    def forward(self, x):
        return self.body(x)


class Messages(nn.Module):
    """A graph convolution: rows of neighbours are added by index_add."""

    def __init__(self, r):
        super().__init__()
        self.own, self.near = nn.Linear(3, r(3, 6)), nn.LazyLinear(1)

    def forward(self, nodes, source, target):
        m = self.own(nodes)
        sums = torch.zeros_like(m).index_add(0, target, m.index_select(0, source))
        return self.near(torch.tanh(m + sums))


class Towers(nn.Module):
    """Two towers, normalised, and the clamped product of their rows."""

    def __init__(self, r):
        super().__init__()
        d = r(3, 6)
        self.users, self.items = nn.Embedding(r(7, 11), d), nn.Embedding(r(7, 11), d)
        self.left, self.right = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, users, items):
        a, b = F.normalize(self.left(self.users(users)), dim=-1), F.normalize(self.right(self.items(items)), dim=-1)
        return (a * b).sum(-1).clamp(-0.9, 0.9)


class Gelus(nn.Module):
    def __init__(self, r):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, r(4, 7)), nn.LazyLinear(r(4, 7)), nn.LazyLinear(2)

    def forward(self, x):
        return self.c(F.gelu(self.b(F.gelu(self.a(x))), approximate="tanh"))


class Groups(nn.Module):
    def __init__(self, r):
        super().__init__()
        self.conv, self.norm, self.own = nn.Conv1d(2, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.InstanceNorm1d(4, affine=True)

    def forward(self, x):
        return self.own(F.silu(self.norm(self.conv(x))))


class RMS(nn.Module):
    def __init__(self, r):
        super().__init__()
        d = r(3, 6)
        self.norm, self.up, self.gate, self.down = nn.RMSNorm(d, eps=1e-5), nn.Linear(d, 5), nn.Linear(d, 5), nn.Linear(5, d)

    def forward(self, x):
        d = self.norm.normalized_shape[0]
        y = self.norm(x[..., :d])
        return x[..., :d] + self.down(F.silu(self.gate(y)) * self.up(y))


class Activations(nn.Module):
    """The activations that have an operator of their own, one a layer."""

    def __init__(self, r):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(8))
        self.functions = [F.elu, F.softplus, F.hardswish, F.mish, F.selu, F.softsign, F.relu6, F.hardsigmoid]

    def forward(self, x):
        for layer, f in zip(self.layers, self.functions):
            x = x + f(layer(x))
        return x


class Pieces(nn.Module):
    """Padding, repetition, running sums, extremes, triangles and parts."""

    def __init__(self, r):
        super().__init__()
        self.fc, self.split = nn.Linear(4, 6), r(1, 4)

    def forward(self, x):
        y = self.fc(x)
        a, b = y.split([self.split, 6 - self.split], -1)
        y = torch.cat([b, a], -1).cumsum(1)
        y = F.pad(y, (1, 1), mode="replicate") + F.pad(y, (2, 0), value=0.5)
        y = y.tril(1) + torch.maximum(y, y.flip(-1)) + torch.minimum(y, y.amax(-1, keepdim=True) * 0.5)
        return y.repeat(1, 2, 1) + y.amin(1, keepdim=True)


class Tagger(nn.Module):
    """An LSTM in both directions, and a layer on each of its states."""

    def __init__(self, r):
        super().__init__()
        d, hidden = r(2, 5), r(3, 6)
        self.table = nn.Embedding(r(7, 11), d)
        self.cell = nn.LSTM(d, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, r(2, 5))

    def forward(self, words):
        return F.log_softmax(self.out(self.cell(self.table(words))[0]), -1)


class Attention(nn.Module):
    """PyTorch's own attention of several heads in a block that is normalised before."""

    def __init__(self, r):
        super().__init__()
        heads = r(1, 4)
        self.d = heads * r(2, 4)
        self.norm, self.attention, self.out = nn.LayerNorm(self.d), nn.MultiheadAttention(self.d, heads, batch_first=True), nn.Linear(self.d, r(2, 5))

    def forward(self, x):
        y = self.norm(x)
        return self.out(x + self.attention(y, y, y, need_weights=False)[0])


class Image(nn.Module):
    """Pixels less their mean, which is a buffer, a convolution, GroupNorm."""

    def __init__(self, r):
        super().__init__()
        self.register_buffer("pixel_mean", torch.rand(3, 1, 1))
        self.register_buffer("deviation", 0.2 + torch.rand(3, 1, 1))
        self.conv, self.norm, self.out = nn.Conv2d(3, 4, r(2, 4)), nn.GroupNorm(2, 4), nn.Linear(4, r(2, 5))

    def forward(self, image):
        return self.out(F.relu(self.norm(self.conv((image - self.pixel_mean) / self.deviation))).mean((2, 3)))


class Positions(nn.Module):
    """Words with positions that are learnt, and a scale for each feature."""

    def __init__(self, r):
        super().__init__()
        d, self.steps = r(3, 6), r(3, 6)
        self.table, self.positions = nn.Embedding(r(7, 11), d), nn.Parameter(torch.randn(1, self.steps, d))
        self.scale, self.out = nn.Parameter(torch.ones(d)), nn.Linear(d, r(2, 5))

    def forward(self, words):
        return self.out(torch.tanh(self.scale * (self.table(words) + self.positions)))


class PReLUs(nn.Module):
    """Slopes of one for all channels, and of one for each."""

    def __init__(self, r):
        super().__init__()
        c = r(3, 6)
        self.first, self.all, self.second, self.each = nn.Conv1d(3, c, 3), nn.PReLU(), nn.Conv1d(c, 4, 2), nn.PReLU(4)

    def forward(self, x):
        return self.each(self.second(self.all(self.first(x)))).mean(-1)


class Einsums(nn.Module):
    """Heads by einsum, with a scalar temperature."""

    def __init__(self, r):
        super().__init__()
        h, e = r(2, 4), r(2, 4)
        self.into, self.back = nn.Parameter(0.5 * torch.randn(4, h, e)), nn.Parameter(0.5 * torch.randn(h, e, r(2, 5)))
        self.temperature = nn.Parameter(torch.tensor(0.7))

    def forward(self, x):
        heads = torch.tanh(torch.einsum("btd,dhe->bthe", x, self.into) * self.temperature)
        return torch.einsum("bthe,hec->btc", heads, self.back)


class Norms(nn.Module):
    """New LayerNorms, which are equal."""

    def __init__(self, r):
        super().__init__()
        self.before, self.fc, self.after = nn.LayerNorm(4), nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x):
        return self.after(self.fc(self.before(x)))


class NewBatchNorm(nn.Module):
    """A BatchNorm whose weight and bias are equal to its buffers."""

    def __init__(self, r):
        super().__init__()
        self.norm, self.fc = nn.BatchNorm1d(4), nn.Linear(4, r(2, 5))

    def forward(self, x):
        return self.fc(torch.relu(self.norm(x)))


class Copies(nn.Module):
    """Layers made as copies of one."""

    def __init__(self, r):
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 5, 0.0, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


class Tied(nn.Module):
    """Scores of words by the table that embeds them."""

    def __init__(self, r):
        super().__init__()
        self.table, self.fc, self.out = nn.Embedding(7, 4), nn.Linear(4, 4), nn.Linear(4, 7, bias=False)
        self.out.weight = self.table.weight

    def forward(self, words):
        return self.out(torch.tanh(self.fc(self.table(words))))


class Token(nn.Module):
    """A token in front of each sequence, and a parameter that goes through a sigmoid."""

    def __init__(self, r):
        super().__init__()
        self.token, self.gate, self.fc = nn.Parameter(torch.randn(1, 1, 4)), nn.Parameter(torch.randn(4)), nn.Linear(4, 4)

    def forward(self, x):
        y = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        return self.fc(torch.tanh(y)) * torch.sigmoid(self.gate)


class WeightNorm(nn.Module):
    def __init__(self, r):
        super().__init__()
        self.fc = weight_norm(nn.Linear(4, r(2, 5)))

    def forward(self, x):
        return self.fc(x)


class Scale(nn.Module):
    """A factor 1, which the exporter drops, and one that is equal to a constant."""

    def __init__(self, r):
        super().__init__()
        self.one, self.two, self.fc = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(2.0)), nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x * self.one * self.two) * 2.0


class Shared(nn.Module):
    """A layer and a new LayerNorm that are used twice: nothing is lost."""

    def __init__(self, r):
        super().__init__()
        self.fc, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x):
        return self.norm(self.fc(torch.tanh(self.norm(self.fc(x)))))


class Unused(nn.Module):
    """A layer that is not used, and one layer's weight that is another's: nothing is lost."""

    def __init__(self, r):
        super().__init__()
        self.a, self.b, self.other = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))
