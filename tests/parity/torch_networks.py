"""The papers' networks as PyTorch modules, with the parameter names of the public code.

Written from the papers' recipes and not from softlab's sources, so that two readings of one text
are compared. Nothing here is random once it is made: dropout masks and shake-shake coefficients
are given from outside (give_noise), as softlab's plans are given them.

    /usr/bin/python3 tests/parity/torch_networks.py     checks sizes and costs, prints them
"""
import sys

import torch
import torch.nn as nn

from torch_collins_uma import (FEATURES, KuangBottleneck, KuangPreAct, KuangResNet, KuangVgg, Mlp,
                               PaddedResNet)
from torch_peterson import (BasicBlock, DenseNet, PetersonVgg, PostActNet, PreActBottleneck,
                            PreActNet, PyramidNet, ResNextBlock, ShakeBlock, WideBlock)


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
