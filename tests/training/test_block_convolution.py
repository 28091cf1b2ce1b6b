"""Block convolutions against torch's own, values and gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from training.block_convolution import banded, convolve, convolve_transposed, convolve_wide, project, upsample_depthwise

DOUBLE = torch.float64


def _plain(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, stride: int, mode: str) -> torch.Tensor:
    padded = F.pad(x.transpose(1, 2), (weight.shape[2] - stride, 0), mode=mode)
    return F.conv1d(padded, weight, bias, stride).transpose(1, 2)


@pytest.mark.parametrize(
    ("kernel", "stride", "block", "replicate"),
    [(3, 1, 4, False), (7, 1, 8, False), (8, 4, 1, False), (8, 4, 3, False), (4, 2, 1, True), (1, 1, 2, False)],
)
def test_convolution_values_and_gradients(kernel: int, stride: int, block: int, replicate: bool) -> None:
    torch.manual_seed(0)
    length = stride * block * 3
    inputs = [torch.randn(2, length, 3), torch.randn(5, 3, kernel), torch.randn(5)]
    mine = [t.to(DOUBLE).requires_grad_() for t in inputs]
    theirs = [t.to(DOUBLE).requires_grad_() for t in inputs]
    made = convolve(mine[0], mine[1], mine[2], stride, block, replicate)
    expected = _plain(theirs[0], theirs[1], theirs[2], stride, "replicate" if replicate else "constant")
    torch.testing.assert_close(made, expected)
    pull = torch.randn_like(expected)
    for a, b in zip(
        torch.autograd.grad((made * pull).sum(), mine),
        torch.autograd.grad((expected * pull).sum(), theirs),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


def test_long_thin_products_are_exact_in_pieces() -> None:
    """More rows than are done in one piece: the weight's gradient is still the whole sum."""
    torch.manual_seed(0)
    x, weight = torch.randn(4, 4096, 3, dtype=DOUBLE), torch.randn(5, 3, dtype=DOUBLE, requires_grad=True)
    pull = torch.randn(4, 4096, 5, dtype=DOUBLE)
    (made,) = torch.autograd.grad((project(x, weight) * pull).sum(), weight)
    (expected,) = torch.autograd.grad((F.linear(x, weight) * pull).sum(), weight)
    torch.testing.assert_close(made, expected)


def test_band_rows_are_the_kernel_moved_along() -> None:
    band = banded(torch.tensor([[[1.0, 2.0, 3.0]]]), 3, 1)
    expected = torch.tensor([[1.0, 2, 3, 0, 0], [0, 1, 2, 3, 0], [0, 0, 1, 2, 3]])
    assert torch.equal(band, expected)


def test_wide_transposed_and_depthwise() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 10, 4, dtype=DOUBLE)
    weight, bias = torch.randn(6, 4, 7, dtype=DOUBLE), torch.randn(6, dtype=DOUBLE)
    torch.testing.assert_close(convolve_wide(x, weight, bias), _plain(x, weight, bias, 1, "constant"))
    weight = torch.randn(4, 6, 10, dtype=DOUBLE)
    expected = F.conv_transpose1d(x.transpose(1, 2), weight, bias, 5)[..., :-5].transpose(1, 2)
    torch.testing.assert_close(convolve_transposed(x, weight, bias, 5), expected)
    weight = torch.randn(4, 1, 4, dtype=DOUBLE)
    expected = F.conv_transpose1d(x.transpose(1, 2), weight, None, 2, groups=4)[..., :-2].transpose(1, 2)
    torch.testing.assert_close(upsample_depthwise(x, weight, 2), expected)
