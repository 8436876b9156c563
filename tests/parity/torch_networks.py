"""The papers' networks as PyTorch modules, with the parameter names of the public code.

Written from the papers' recipes and not from softlab's sources, so that two readings of one text
are compared. Nothing here is random once it is made: dropout masks and shake-shake coefficients
are given from outside (give_noise), as softlab's plans are given them.

    /usr/bin/python3 tests/parity/torch_networks.py     checks sizes and costs, prints them
"""
import sys

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


# ---- Collins et al., Uma et al. ----


class PaddedBlock(nn.Module):
    """Basic block whose shortcut takes every second pixel and pads channels (option A)."""

    def __init__(self, inputs, outputs, stride, bias):
        super().__init__()
        self.stride = stride
        self.conv1 = conv(inputs, outputs, 3, stride, bias=bias)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu1 = Relu()
        self.conv2 = conv(outputs, outputs, 3, bias=bias)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu2 = Relu()

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        return self.relu2(add_channels(y, subsample(x, self.stride)))


class PaddedResNet(nn.Module):
    """Three stages of 16, 32 and 64 channels. `bias` and Keller Jordan's names go together."""

    def __init__(self, n, bias):
        super().__init__()
        self.norm, self.stage = ("norm1", "layers") if bias else ("bn1", "layer")
        self.conv1 = conv(3, 16, 3, bias=bias)
        setattr(self, self.norm, nn.BatchNorm2d(16))
        self.relu1 = Relu()
        inputs = 16
        for index, width in enumerate((16, 32, 64)):
            blocks = []
            for i in range(n):
                blocks.append(PaddedBlock(inputs, width, 2 if i == 0 and index > 0 else 1, bias))
                inputs = width
            setattr(self, f"{self.stage}{index + 1}", nn.Sequential(*blocks))
        self.linear = nn.Linear(inputs, 10)

    def forward(self, x):
        x = self.relu1(getattr(self, self.norm)(self.conv1(x)))
        for index in (1, 2, 3):
            x = getattr(self, f"{self.stage}{index}")(x)
        return self.linear(global_pool(x))


class KuangBottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = width * self.expansion
        self.conv1 = conv(inputs, width, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu1 = Relu()
        self.conv2 = conv(width, width, 3, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu2 = Relu()
        self.conv3 = conv(width, outputs, 1)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride),
                                          nn.BatchNorm2d(outputs))
        self.relu3 = Relu()

    def forward(self, x):
        y = self.relu1(self.bn1(self.conv1(x)))
        y = self.relu2(self.bn2(self.conv2(y)))
        return self.relu3(self.bn3(self.conv3(y)) + self.shortcut(x))


class KuangPreAct(nn.Module):
    """The shortcut of every block takes the activated input, as in the code of mixup-cifar10."""

    expansion = 1

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.relu1 = Relu()
        self.conv1 = conv(inputs, width, 3, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu2 = Relu()
        self.conv2 = conv(width, width, 3)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != width:
            self.shortcut = nn.Sequential(conv(inputs, width, 1, stride))

    def forward(self, x):
        active = self.relu1(self.bn1(x))
        y = self.conv2(self.relu2(self.bn2(self.conv1(active))))
        return y + self.shortcut(active)


class KuangResNet(nn.Module):
    """A 64-wide 3x3 stem with batch norm and ReLU, four stages, global mean, linear."""

    def __init__(self, block, counts):
        super().__init__()
        self.conv1 = conv(3, 64, 3)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu1 = Relu()
        inputs = 64
        for index, count in enumerate(counts):
            width, blocks = 64 << index, []
            for i in range(count):
                blocks.append(block(inputs, width, 2 if i == 0 and index > 0 else 1))
                inputs = width * block.expansion
            setattr(self, f"layer{index + 1}", nn.Sequential(*blocks))
        self.linear = nn.Linear(inputs, 10)

    def forward(self, x):
        x = self.relu1(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.linear(global_pool(x))


class KuangVgg(nn.Module):
    def __init__(self, layout):
        super().__init__()
        layers, inputs = [], 3
        for item in layout:
            if item == "M":
                layers.append(max_pool(2))
                continue
            layers += [conv(inputs, item, 3, bias=True), nn.BatchNorm2d(item), Relu()]
            inputs = item
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(inputs, 10)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class Mlp(nn.Module):
    """One hidden layer on features, as for LabelMe."""

    def __init__(self, slope, dropout):
        super().__init__()
        self.hidden_layer = nn.Sequential(nn.Linear(FEATURES, 128), Relu(slope), Dropout(dropout))
        self.output_layer = nn.Sequential(nn.Linear(128, 8))

    def forward(self, x):
        return self.output_layer(self.hidden_layer(x.flatten(1)))


# ---- The eight of Peterson et al. ----


def stages(model, plan):
    """Stage i of `plan`, a list of blocks, becomes model.stage<i>.block<j>."""
    for i, blocks in enumerate(plan):
        stage = nn.Sequential()
        for j, block in enumerate(blocks):
            stage.add_module(f"block{j + 1}", block)
        setattr(model, f"stage{i + 1}", stage)
    model.n_stages = len(plan)


def run_stages(model, x):
    for i in range(model.n_stages):
        x = getattr(model, f"stage{i + 1}")(x)
    return x


def residual_plan(block, first, widths, count):
    """`count` blocks per stage; every stage but the first begins with stride 2."""
    plan, inputs = [], first
    for index, width in enumerate(widths):
        blocks = []
        for i in range(count):
            blocks.append(block(inputs, width, 2 if i == 0 and index > 0 else 1, i == 0))
            inputs = width
        plan.append(blocks)
    return plan


class PetersonVgg(nn.Module):
    """One ReLU per stage, after the first batch norm, as the code of 2018 had it."""

    def __init__(self):
        super().__init__()
        inputs = 3
        for index, (width, count) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
            stage = nn.Sequential()
            for i in range(count):
                stage.add_module(f"conv{i}", conv(inputs, width, 3, bias=True))
                stage.add_module(f"bn{i}", nn.BatchNorm2d(width))
                if i == 0:
                    stage.add_module("relu", Relu())
                inputs = width
            stage.add_module("pool", max_pool(2))
            setattr(self, f"stage{index + 1}", stage)
        self.n_stages = 5
        self.fc = nn.Linear(inputs, 10)

    def forward(self, x):
        return self.fc(run_stages(self, x).flatten(1))


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, _first):
        super().__init__()
        self.conv1 = conv(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu1 = Relu()
        self.conv2 = conv(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module("conv", conv(inputs, outputs, 1, stride))
            self.shortcut.add_module("bn", nn.BatchNorm2d(outputs))
        self.relu2 = Relu()

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        return self.relu2(y + self.shortcut(x))


class ResNextBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, _first):
        super().__init__()
        width, groups = outputs * 2, 8
        self.conv1 = conv(inputs, width, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu1 = Relu()
        self.conv2 = conv(width, width, 3, stride, groups)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu2 = Relu()
        self.conv3 = conv(width, outputs, 1)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module("conv", conv(inputs, outputs, 1, stride))
            self.shortcut.add_module("bn", nn.BatchNorm2d(outputs))
        self.relu3 = Relu()

    def forward(self, x):
        y = self.relu1(self.bn1(self.conv1(x)))
        y = self.relu2(self.bn2(self.conv2(y)))
        return self.relu3(self.bn3(self.conv3(y)) + self.shortcut(x))


class PostActNet(nn.Module):
    """conv, BN, ReLU; stages; global mean; fc."""

    def __init__(self, block, first, widths, count):
        super().__init__()
        self.conv = conv(3, first, 3)
        self.bn = nn.BatchNorm2d(first)
        self.relu = Relu()
        stages(self, residual_plan(block, first, widths, count))
        self.fc = nn.Linear(widths[-1], 10)

    def forward(self, x):
        return self.fc(global_pool(run_stages(self, self.relu(self.bn(self.conv(x))))))


class PreActBottleneck(nn.Module):
    """The first block of a stage pre-activates its shortcut as well."""

    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        width = outputs // 4
        self.active_shortcut = first
        self.bn1 = nn.BatchNorm2d(inputs)
        self.relu1 = Relu()
        self.conv1 = conv(inputs, width, 1)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu2 = Relu()
        self.conv2 = conv(width, width, 3, stride)
        self.bn3 = nn.BatchNorm2d(width)
        self.relu3 = Relu()
        self.conv3 = conv(width, outputs, 1)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module("conv", conv(inputs, outputs, 1, stride))

    def forward(self, x):
        active = self.relu1(self.bn1(x))
        y = self.conv2(self.relu2(self.bn2(self.conv1(active))))
        y = self.conv3(self.relu3(self.bn3(y)))
        return y + self.shortcut(active if self.active_shortcut else x)


class WideBlock(nn.Module):
    """Where the channels change, the shortcut is a convolution of the activated input."""

    def __init__(self, inputs, outputs, stride, _first):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.relu1 = Relu()
        self.conv1 = conv(inputs, outputs, 3, stride)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu2 = Relu()
        self.conv2 = conv(outputs, outputs, 3)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module("conv", conv(inputs, outputs, 1, stride))

    def forward(self, x):
        active = self.relu1(self.bn1(x))
        y = self.conv2(self.relu2(self.bn2(self.conv1(active))))
        return y + self.shortcut(active if len(self.shortcut) else x)


class PreActNet(nn.Module):
    """conv; stages; BN, ReLU, global mean; fc."""

    def __init__(self, block, widths, count):
        super().__init__()
        self.conv = conv(3, 16, 3)
        stages(self, residual_plan(block, 16, widths, count))
        self.bn = nn.BatchNorm2d(widths[-1])
        self.relu = Relu()
        self.fc = nn.Linear(widths[-1], 10)

    def forward(self, x):
        x = run_stages(self, self.conv(x))
        return self.fc(global_pool(self.relu(self.bn(x))))


class DenseBlock(nn.Module):
    def __init__(self, inputs, growth):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.relu1 = Relu()
        self.conv1 = conv(inputs, 4 * growth, 1)
        self.bn2 = nn.BatchNorm2d(4 * growth)
        self.relu2 = Relu()
        self.conv2 = conv(4 * growth, growth, 3)

    def forward(self, x):
        y = self.conv1(self.relu1(self.bn1(x)))
        return torch.cat((x, self.conv2(self.relu2(self.bn2(y)))), 1)


class Transition(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.bn = nn.BatchNorm2d(inputs)
        self.relu = Relu()
        self.conv = conv(inputs, outputs, 1)
        self.pool = average_pool(2)

    def forward(self, x):
        return self.pool(self.conv(self.relu(self.bn(x))))


class DenseNet(nn.Module):
    def __init__(self, count, growth):
        super().__init__()
        channels = 2 * growth
        self.conv = conv(3, channels, 3)
        plan, transitions = [], []
        for _ in range(3):
            plan.append([DenseBlock(channels + i * growth, growth) for i in range(count)])
            last = channels + count * growth
            channels = last // 2
            transitions.append(Transition(last, channels))
        stages(self, plan)
        self.stage1.add_module("transition", transitions[0])
        self.stage2.add_module("transition", transitions[1])
        channels = last
        self.bn = nn.BatchNorm2d(channels)
        self.relu = Relu()
        self.fc = nn.Linear(channels, 10)

    def forward(self, x):
        x = run_stages(self, self.conv(x))
        return self.fc(global_pool(self.relu(self.bn(x))))


class PyramidBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.conv1 = conv(inputs, outputs, 3, stride)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = Relu()
        self.conv2 = conv(outputs, outputs, 3)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.shortcut = average_pool(2) if stride > 1 else nn.Sequential()

    def forward(self, x):
        y = self.conv2(self.relu(self.bn2(self.conv1(self.bn1(x)))))
        return add_channels(self.bn3(y), self.shortcut(x))


class PyramidNet(nn.Module):
    def __init__(self, count, alpha):
        super().__init__()
        self.conv = conv(3, 16, 3)
        self.bn1 = nn.BatchNorm2d(16)
        widths = [round(16 + alpha * i / (3 * count)) for i in range(3 * count + 1)]
        blocks = [PyramidBlock(widths[i], widths[i + 1], 2 if i in (count, 2 * count) else 1)
                  for i in range(3 * count)]
        stages(self, [blocks[i * count:(i + 1) * count] for i in range(3)])
        self.bn2 = nn.BatchNorm2d(widths[-1])
        self.relu = Relu()
        self.fc = nn.Linear(widths[-1], 10)

    def forward(self, x):
        x = run_stages(self, self.bn1(self.conv(x)))
        return self.fc(global_pool(self.relu(self.bn2(x))))


class ShakePath(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.relu1 = Relu()
        self.conv1 = conv(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu2 = Relu()
        self.conv2 = conv(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)

    def forward(self, x):
        y = self.bn1(self.conv1(self.relu1(x)))
        return self.bn2(self.conv2(self.relu2(y)))


class ShakeShortcut(nn.Module):
    """Half of the channels from the even pixels, half from the odd ones."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.relu = Relu()
        self.conv1 = conv(inputs, outputs // 2, 1)
        self.conv2 = conv(inputs, outputs // 2, 1)
        self.bn = nn.BatchNorm2d(outputs)

    def forward(self, x):
        x = self.relu(x)
        even, odd = self.conv1(subsample(x, 2)), self.conv2(subsample(x, 2, 1))
        return self.bn(torch.cat((even, odd), 1))


class ShakeBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, _first):
        super().__init__()
        self.residual_path1 = ShakePath(inputs, outputs, stride)
        self.residual_path2 = ShakePath(inputs, outputs, stride)
        self.shake = Shake()
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module("downsample", ShakeShortcut(inputs, outputs))

    def forward(self, x):
        mixed = self.shake(self.residual_path1(x), self.residual_path2(x))
        return mixed + self.shortcut(x)


# ---- The table ----


class Network:
    """A network by its name, with the size and the cost that the recipes state for 3x32x32."""

    def __init__(self, make, parameters, millions, images=4, side=32, init=None, features=None,
                 classes=10):
        self.make = make
        self.parameters = parameters
        self.millions = millions  # multiply-adds of one forward pass, in millions
        self.images = images      # that a comparison takes, to stay within minutes
        self.init = init          # (fan, gamma is uniform) of Peterson et al.; None: PyTorch's
        self.shape = (features, 1, 1) if features else (3, side, side)
        self.full = self.shape if features else (3, 32, 32)
        self.classes = classes


FEATURES = 8192  # of LabelMe
VGG11 = (64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M")
OUT, IN = "fan_out", "fan_in"
NETWORKS = {
    "resnet8": Network(lambda: PaddedResNet(1, False), None, None, 8),
    "resnet20": Network(lambda: PaddedResNet(3, False), 269722, None, 8),
    "resnet34a": Network(lambda: PaddedResNet(7, True), 660170, 97.2, 8),
    "resnet50": Network(lambda: KuangResNet(KuangBottleneck, (3, 4, 6, 3)), 23520842, 1298, 4, 16),
    "vgg11": Network(lambda: KuangVgg(VGG11), 9231114, 153, 8),
    "preact-resnet18": Network(lambda: KuangResNet(KuangPreAct, (2, 2, 2, 2)), 11171274, 555),
    "preact-resnet34": Network(lambda: KuangResNet(KuangPreAct, (3, 4, 6, 3)), 21279434, None,
                               4, 16),
    "mlp": Network(lambda: Mlp(0, 0.5), 1049736, None, 8, features=FEATURES, classes=8),
    "mlp-uma": Network(lambda: Mlp(0.01, 0.2), 1049736, None, 8, features=FEATURES, classes=8),
    "vgg_15_BN_64": Network(lambda: PetersonVgg(), 14728266, 313, 2, init=(OUT, True)),
    "resnet_basic_110": Network(lambda: PostActNet(BasicBlock, 16, (16, 32, 64), 18),
                                1730714, 253, 4, init=(OUT, False)),
    "resnet_preact_bottleneck_164": Network(
        lambda: PreActNet(PreActBottleneck, (16, 128, 256), 18),
        1619290, 169, 4, init=(OUT, False)),
    "wrn_28_10": Network(lambda: PreActNet(WideBlock, (160, 320, 640), 4),
                         36479194, 5243, 2, 16, init=(IN, True)),
    "resnext_29_8x64d": Network(lambda: PostActNet(ResNextBlock, 64, (256, 512, 1024), 3),
                                34426698, 5387, 2, 16, init=(OUT, False)),
    "densenet_BC_100_12": Network(lambda: DenseNet(16, 12), 769162, 288, 4, init=(OUT, False)),
    "pyramidnet_basic_110_270": Network(lambda: PyramidNet(18, 270),
                                        28485477, 4718, 2, 16, init=(OUT, False)),
    "shake_shake_26_2x64d": Network(lambda: PostActNet(ShakeBlock, 64, (64, 128, 256), 4),
                                    11709514, 1742, 2, 16, init=(OUT, False)),
}


def initialise(model, rule):
    fan, gamma_is_uniform = rule
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode=fan, nonlinearity="relu")
        elif isinstance(module, nn.BatchNorm2d) and gamma_is_uniform:
            nn.init.uniform_(module.weight)
        if isinstance(module, (nn.Conv2d, nn.Linear)) and module.bias is not None:
            nn.init.zeros_(module.bias)


def create(name, seed=1):
    """The network with its first parameters, which depend on the seed alone."""
    network = NETWORKS[name]
    torch.manual_seed(seed)
    model = network.make()
    if network.init:
        initialise(model, network.init)
    return model


def n_parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def multiply_adds(model, shape):
    """Of convolutions and linear layers, for one item."""
    total = 0

    def count(module, _, output):
        nonlocal total
        total += module.weight[0].numel() * output[0].numel()

    layers = [m for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    hooks = [layer.register_forward_hook(count) for layer in layers]
    with torch.no_grad():
        model.eval()(torch.zeros(1, *shape))
    for hook in hooks:
        hook.remove()
    return total


def main():
    failed = 0
    for name, network in NETWORKS.items():
        model = create(name)
        count = n_parameters(model)
        millions = multiply_adds(model, network.full) / 1e6
        good = network.parameters in (None, count)
        good &= network.millions is None or abs(millions - network.millions) < 0.6
        failed += not good
        print(f"{'ok' if good else 'not ok'}: {name}: {count:,} parameters, {millions:.1f} MMAC; "
              f"stated: {network.parameters or '-'}, {network.millions or '-'}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
