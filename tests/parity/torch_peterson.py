"""The eight networks of Peterson et al. as PyTorch modules."""
import torch
import torch.nn as nn

from torch_layers import (conv, max_pool, average_pool, global_pool, subsample, add_channels, Relu,
                          Shake)


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
