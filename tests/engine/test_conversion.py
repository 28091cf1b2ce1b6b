"""Converted models: files of quantised weights, their checks, and how far they agree with the plain model."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from engine.agreement import LEAST_MATCH, Agreement, ModelParts, agreement, teacher_columns
from engine.config import LMConfig
from engine.conversion import converted, held_precision, judge
from engine.errors import Cancelled, EngineError
from engine.opening import open_folder
from engine.precision import QUANTIZED
from engine.quantize import QuantizedWeight
from engine.tensor_file import read_header
from engine.weights import Loading, ModelFiles, check_lm, find, load_lm
from tests.checkpoints import MODEL_NAME, write_checkpoint

CPU = torch.device("cpu")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return find(write_checkpoint(tmp_path_factory.mktemp("plain"), depth_steps=16))


@pytest.fixture(scope="module")
def config(files: ModelFiles) -> LMConfig:
    return LMConfig.from_dict(files.config)


def columns(config: LMConfig, frames: int = 40) -> torch.Tensor:
    codes = torch.randint(0, config.card, (25, 8), generator=torch.Generator().manual_seed(0))
    return teacher_columns(config, codes, frames)


@pytest.mark.parametrize("precision", QUANTIZED)
def test_converting_first_and_rounding_on_the_way_give_the_same_model(
    files: ModelFiles, config: LMConfig, tmp_path: Path, precision: str
) -> None:
    twin = converted(files, config, precision, tmp_path / "cache", CPU)
    loaded = load_lm(twin, config, CPU, torch.float32)
    direct = load_lm(files, config, CPU, torch.float32, precision=precision)
    assert loaded.precision == direct.precision == held_precision(twin) == precision
    for (name, one), (other_name, other) in zip(loaded.named_parameters(), direct.named_parameters(), strict=True):
        assert name == other_name and one.dtype == other.dtype and torch.equal(one.float(), other.float())
    assert twin.model.stat().st_size < 0.4 * files.model.stat().st_size
    assert [path.name for path in twin.model.parent.iterdir()] == [twin.model.name]


def test_split_names_give_the_same_weights(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    split = find(write_checkpoint(tmp_path / "split", split_names=True))
    models = [load_lm(each, config, CPU, torch.float32, precision="fp8") for each in (files, split)]
    for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.equal(one.float(), other.float())


@pytest.mark.parametrize("precision", QUANTIZED)
def test_a_quantised_file_can_be_spread_out(
    files: ModelFiles, config: LMConfig, tmp_path: Path, precision: str
) -> None:
    twin = converted(files, config, precision, tmp_path, CPU)
    plain = load_lm(files, config, CPU, torch.float32)
    spread = load_lm(twin, config, CPU, torch.float32, precision="float32")
    assert spread.precision is None
    for (name, one), other in zip(spread.named_parameters(), plain.parameters(), strict=True):
        assert one.shape == other.shape
        assert (one - other).norm() < 0.13 * other.norm(), name
    with pytest.raises(EngineError, match=f"holds {precision} weights: choose the precision {precision} or auto"):
        load_lm(twin, config, CPU, torch.float32, precision="int4" if precision != "int4" else "int8")


def test_the_cache_is_used_and_follows_the_file(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    first = converted(files, config, "int8", tmp_path, CPU)
    stamp = first.model.stat().st_mtime_ns
    assert converted(files, config, "int8", tmp_path, CPU).model.stat().st_mtime_ns == stamp
    other = find(write_checkpoint(tmp_path / "other", seed=1))
    assert converted(other, config, "int8", tmp_path, CPU).model != first.model
    first.model.write_bytes(first.model.read_bytes()[:-1])  # damaged: made anew
    assert load_lm(converted(files, config, "int8", tmp_path, CPU), config, CPU, torch.float32).precision == "int8"


def test_a_damaged_twin_goes_and_does_not_stand_in_the_way(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    """The header is sound, so that only the loaded weights show it; its own file is another's fault to look for."""
    folder, load = files.model.parent, {"device": "cpu", "kernels": False, "speech": None, "progress": None}
    twin = converted(files, config, "int8", tmp_path, CPU).model
    entry = read_header(twin).entries["text_linear.weight.scales"]
    with twin.open("r+b") as file:
        file.seek(entry.start)
        file.write(b"\xff\x7f")  # no number
    with pytest.raises(EngineError, match=f"{twin.name} was damaged and is deleted: load the model again"):
        open_folder(folder, precision="int8", cache=tmp_path, cancelled=None, **load)
    assert not twin.exists()
    assert open_folder(folder, precision="int8", cache=tmp_path, cancelled=None, **load).files.model == twin
    with twin.open("rb") as file:
        file.seek(entry.start)
        assert file.read(2) != b"\xff\x7f"


def damaged(twin: ModelFiles, folder: Path, key: str, change: str) -> ModelFiles:
    """A copy without `key`, or with it in another shape or type."""
    with safe_open(twin.model, "pt") as file:
        tensors, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    tensor = tensors.pop(key)
    if change != "missing":
        tensors[key] = tensor[:-1].clone() if change == "shape" else tensor.float()
    save_file(tensors, folder / MODEL_NAME, metadata)
    return replace(twin, model=folder / MODEL_NAME)


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("transformer.layers.1.gating.linear_in.weight.scales", "missing", r"missing \(transformer\.layers\.1\.gating"),
        ("linears.2.weight.scales", "shape", r"linears\.2\.weight\.scales is \[2047, 1\] where \[2048, 1\] is needed"),
        ("depformer_in.0.weight", "type", r"depformer_in\.0\.weight is F32"),
    ],
)
def test_a_quantised_file_with_a_fault_names_the_tensor(
    files: ModelFiles, config: LMConfig, tmp_path: Path, key: str, change: str, said: str
) -> None:
    """User report L10."""
    twin = converted(files, config, "int8", tmp_path / "cache", CPU)
    with pytest.raises(EngineError, match=said):
        load_lm(damaged(twin, tmp_path, key, change), config, CPU, torch.float32)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 2, "precision": "int8"}', '{"format": 1, "precision": "int3"}', "{", '{"format": 1}']
)
def test_an_unknown_kind_of_quantised_file_is_refused(config: LMConfig, tmp_path: Path, text: str) -> None:
    folder = write_checkpoint(tmp_path / "m")
    with safe_open(folder / MODEL_NAME, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(tensors, folder / MODEL_NAME, {"parley": text})
    with pytest.raises(EngineError, match="of a kind that this version of the program does not know"):
        check_lm(find(folder), config)


def test_cancelling_a_conversion_leaves_nothing(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    asked = iter(range(1000))
    loading = Loading(progress=lambda *report: reports.append(report), cancelled=lambda: next(asked) > 50)
    with pytest.raises(Cancelled):
        converted(files, config, "int8", tmp_path / "cache", CPU, loading)
    assert list((tmp_path / "cache").iterdir()) == []
    assert reports[0][0] == "conversion to int8"


def test_progress_of_a_conversion_reaches_its_total(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    loading = Loading(progress=lambda *report: reports.append(report))
    converted(files, config, "int4", tmp_path, CPU, loading)
    assert reports[-1][1] == reports[-1][2] > 1e6


def test_a_cache_that_cannot_be_written_is_one_sentence(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EngineError, match="The converted model could not be written to"):
        converted(files, config, "int8", tmp_path / "file", CPU)


# ---------------------------------------------------------------- agreement


def test_a_model_agrees_with_itself_wholly(files: ModelFiles, config: LMConfig) -> None:
    result = judge(files, files, config, columns(config), CPU)
    assert result == Agreement(40, 1.0, 1.0, 1.0, 0.0, 0.0)


def test_agreement_falls_with_the_bits(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    """User report L14: what a precision costs is measured."""
    results = {
        precision: judge(files, converted(files, config, precision, tmp_path, CPU), config, columns(config), CPU)
        for precision in ("int8", "fp8-row", "int4")
    }
    errors = [(result.text_error, result.audio_error) for result in results.values()]
    assert errors == sorted(errors) and 0 < errors[0][0] < 0.1 < errors[2][0] < 1
    assert results["int8"].match > results["int4"].match


def test_logits_are_those_of_the_whole_model_step_by_step(files: ModelFiles, config: LMConfig) -> None:
    """The streamed comparison against the model as it talks: the same frames, one at a time."""
    from engine.agreement import _hidden  # the part that differs from a talk

    whole = load_lm(files, config, CPU, torch.float32)
    file, pieces = check_lm(files, config)
    inputs = columns(config, 12)[None, :, :-1]
    with torch.inference_mode():
        streamed = _hidden(ModelParts(file, pieces, config, CPU, torch.float32).language_model(), config, inputs)
        slots = whole.slots(torch.float32)
        state = {name: torch.zeros(1, *slot.shape) for name, slot in slots.items()}
        for frame in range(12):
            x = whole.temporal.embed(inputs[:, :, frame : frame + 1])
            hidden = whole.temporal(x, state, torch.tensor([frame]), config.context)
            torch.testing.assert_close(hidden[0, 0], streamed[frame], rtol=1e-4, atol=1e-4)


def test_a_trained_model_is_judged_once_and_the_result_kept(
    files: ModelFiles, config: LMConfig, tmp_path: Path
) -> None:
    asked: list[int] = []

    def ask() -> torch.Tensor:
        asked.append(1)
        return columns(config)

    with pytest.raises(EngineError, match="In int4 this model says the same as before in only"):
        converted(files, config, "int4", tmp_path, CPU, columns=ask)
    with pytest.raises(EngineError, match=r"at least 90 % are needed"):
        converted(files, config, "int4", tmp_path, CPU, columns=ask)
    assert len(asked) == 1
    (path,) = tmp_path.iterdir()  # the judgement, and no weights that nobody may use
    kept = json.loads(path.read_text())
    assert kept["frames"] == 40 and 0 < kept["match"] < 0.9
    untrained = replace(files, trained=False)  # random weights say nothing about a precision
    assert converted(untrained, config, "int4", tmp_path, CPU, columns=ask).model == path.with_suffix(".safetensors")
    path.write_text("{")
    with pytest.raises(EngineError, match=r"at least 90 % are needed"):
        converted(files, config, "int4", tmp_path, CPU, columns=ask)
    assert len(asked) == 2, "a judgement that cannot be read is made anew"


def test_what_a_model_agrees_with_is_kept_with_it(
    files: ModelFiles, config: LMConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LEAST_MATCH, "int8", 0.5)  # random weights agree less than trained ones
    twin = converted(files, config, "int8", tmp_path, CPU, columns=lambda: columns(config))
    with safe_open(twin.model, "pt") as file:
        kept = json.loads(file.metadata()["parley"])
    assert kept["format"] == 1 and kept["agreement"]["frames"] == 40 and kept["agreement"]["match"] >= 0.5


@pytest.mark.parametrize("precision", ["fp8", "fp8-row", "int4"])
def test_the_bundled_model_is_refused_at_once_where_it_would_be_rounded_twice(tmp_path: Path, precision: str) -> None:
    """Before anything is read but the header, and nothing is left behind."""

    def load(precision: str) -> None:
        open_folder(
            ROOT / "assets" / "mini", device="cpu", precision=precision, kernels=False, cache=tmp_path, speech=None,
            progress=reading, cancelled=None,
        )  # fmt: skip

    def reading(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(EngineError, match=f"{precision} would round them once more.*choose auto, int8, bfloat16 or"):
        load(precision)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Cancelled):
        load("bfloat16")


def test_teacher_columns_hold_the_delays(config: LMConfig) -> None:
    codes = torch.arange(10)[:, None] * 10 + torch.arange(8)
    found = teacher_columns(config, codes, 4)
    assert found.shape == (17, 5)
    assert found[:, 0].tolist() == list(config.initial_tokens)
    assert found[0, 1:].tolist() == [config.existing_text_padding_id] * 4
    assert found[1].tolist() == [2048, 0, 10, 20, 30]
    assert found[2].tolist() == [2048, 2048, 1, 11, 21]
    assert found[9].tolist() == [2048, 50, 60, 70, 80]


_MEASURE = """
import resource, sys, torch
from pathlib import Path
from engine.config import LMConfig
from engine.conversion import converted
from engine.weights import find
torch.set_num_threads(1)

def status(name):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) << 10

files = find(Path(sys.argv[1]))
config = LMConfig.from_dict(files.config)
converted(find(Path(sys.argv[3])), LMConfig.from_dict(find(Path(sys.argv[3])).config), "int4", Path(sys.argv[2]),
          torch.device("cpu"))  # whatever PyTorch loads at first use
limit = status("VmSize") + 2 * files.model.stat().st_size
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
before = status("VmRSS")
converted(files, config, "int4", Path(sys.argv[2]), torch.device("cpu"))
print(status("VmHWM") - before, files.model.stat().st_size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_peak_memory_of_a_conversion(files: ModelFiles, tmp_path: Path) -> None:
    """User report L15: a 64 MB toy is converted under a 2x limit, in far less memory than it has weights."""
    path = write_checkpoint(tmp_path / "m", lm={"dim": 384, "num_heads": 4, "num_layers": 14}, dtype=torch.float16)
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(path), str(tmp_path / "cache"), str(files.folder)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    peak, size = map(int, run.stdout.split())
    assert size > 60e6 and peak < 0.8 * size


def test_a_folder_may_hold_a_quantised_model(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    twin = converted(files, config, "int8", tmp_path / "cache", CPU)
    folder = write_checkpoint(tmp_path / "m")
    (folder / MODEL_NAME).write_bytes(twin.model.read_bytes())
    held = find(folder)
    assert held_precision(held) == "int8" and held_precision(files) is None
    model = load_lm(held, config, CPU, torch.float32)
    assert isinstance(model.get_submodule("temporal.text_head"), QuantizedWeight)


def test_agreement_needs_no_whole_key_of_packed_steps(files: ModelFiles, config: LMConfig, tmp_path: Path) -> None:
    """One depth step's matrix out of a packed key, plain and quantised."""
    whole = load_lm(files, config, CPU, torch.float32)
    file, pieces = check_lm(files, config)
    parts = ModelParts(file, pieces, config, CPU, torch.float32)
    assert torch.equal(parts.read("depth.layers.1.in_proj", 5), whole.depth.layers[1].in_proj[5])  # type: ignore[arg-type]
    for precision in ("fp8", "int4"):
        twin = converted(files, config, precision, tmp_path, CPU)
        loaded = load_lm(twin, config, CPU, torch.float32)
        file, pieces = check_lm(twin, config)
        read = ModelParts(file, pieces, config, CPU, torch.float32).read("depth.layers.1.in_proj", 5)
        wanted = loaded.depth.layers[1].in_proj[5]
        assert torch.equal(read.scales, wanted.scales)  # type: ignore[union-attr]
        assert torch.equal(read.values.float(), wanted.values.float())  # type: ignore[union-attr]
    assert agreement(config, parts, parts, columns(config, 5)).frames == 5


def test_a_comparison_reports_and_can_be_cancelled(files: ModelFiles, config: LMConfig) -> None:
    reports: list[tuple[str, int, int]] = []
    judge(files, files, config, columns(config), CPU, Loading(progress=lambda *report: reports.append(report)))
    assert 0.5 * reports[-1][2] < reports[-1][1] <= reports[-1][2]  # the last steps of sixteen are not compared
    with pytest.raises(Cancelled):
        judge(files, files, config, columns(config), CPU, Loading(cancelled=lambda: True))
