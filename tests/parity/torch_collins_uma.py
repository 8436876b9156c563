"""The networks of Collins et al. and Uma et al. as PyTorch modules."""
import torch.nn as nn

from torch_layers import conv, max_pool, global_pool, subsample, add_channels, Relu, Dropout

FEATURES = 8192  # of LabelMe


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
