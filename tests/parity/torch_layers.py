"""Layers that the networks in PyTorch are made of, and their noise, which is given from outside."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv(inputs, outputs, kernel, stride=1, groups=1, bias=False):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=bias)


def max_pool(kernel):
    return nn.MaxPool2d(kernel, kernel, ceil_mode=True)


def average_pool(kernel):
    return nn.AvgPool2d(kernel, kernel, ceil_mode=True, count_include_pad=False)


def global_pool(x):
    return x.mean((2, 3))


def subsample(x, stride, offset=0):
    """x[offset::stride] in height and width, as many pixels for every offset: zeros are beyond."""
    padded = F.pad(x, (0, offset, 0, offset)) if offset else x
    return padded[:, :, offset::stride, offset::stride]


def add_channels(y, x):
    """y + x where x may have fewer channels: zeros come at the end."""
    missing = y.shape[1] - x.shape[1]
    return y + (F.pad(x, (0, 0, 0, 0, 0, missing)) if missing else x)


class Relu(nn.Module):
    """Every ReLU is a module, so that what goes into it can be looked at."""

    def __init__(self, slope=0.0):
        super().__init__()
        self.slope = slope
        self.in_place = False  # for speed, where nobody else reads the input

    def forward(self, x):
        return F.leaky_relu(x, self.slope) if self.slope else F.relu(x, self.in_place)


class Dropout(nn.Module):
    """Multiplies by `noise`: 0 or 1/(1-p) for every element."""

    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.noise = None

    def noise_for(self, x, generator):
        keep = torch.rand(x.shape, generator=generator) >= self.rate
        return keep.float() / (1 - self.rate)

    def forward(self, x):
        return x * self.noise.to(x.dtype) if self.training else x


class ShakeFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, alpha, beta):
        ctx.save_for_backward(beta)
        return alpha * a + (1 - alpha) * b

    @staticmethod
    def backward(ctx, upstream):
        (beta,) = ctx.saved_tensors
        return beta * upstream, (1 - beta) * upstream, None, None


class Shake(nn.Module):
    """Mixes two branches, by alpha forward and beta backward; `noise` is (2, batch)."""

    def __init__(self):
        super().__init__()
        self.noise = None

    def noise_for(self, x, generator):
        return torch.rand(2, x.shape[0], generator=generator)

    def forward(self, a, b):
        if not self.training:
            return (a + b) / 2
        alpha, beta = self.noise.to(a.dtype).reshape(2, -1, 1, 1, 1)
        return ShakeFunction.apply(a, b, alpha, beta)


def noisy_layers(model):
    return [module for module in model.modules() if isinstance(module, (Dropout, Shake))]


def give_noise(model, inputs, seed):
    """Draws the noise of every layer that wants some, and returns it in the order of the layers."""
    generator = torch.Generator().manual_seed(seed)
    layers, drawn = noisy_layers(model), []

    def draw(module, arguments):
        module.noise = module.noise_for(arguments[0], generator)
        drawn.append(module.noise)

    hooks = [layer.register_forward_pre_hook(draw) for layer in layers]
    state = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        model(inputs)
    model.load_state_dict(state)  # running statistics
    for hook in hooks:
        hook.remove()
    return drawn
