"""The full-duplex engine: one 80 ms frame of audio in, one out.

Owns the model, the state of the talk, and the choice of how a frame is run. Everything here is called from one
thread, the engine thread; nothing here knows of sound devices, windows or files other than a checkpoint's.
`step` is the frame, top to bottom; `prime` puts a persona before the talk; `prepare` and `set_mode` switch between
launching the stages one by one (eager), replaying captured graphs, and compiled code, in the middle of a talk.
"""

from __future__ import annotations

import gc
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine import weights
from engine.config import LMConfig, MimiConfig, PromptCodes
from engine.errors import Cancelled, EngineError
from engine.frame import STAGES, Frame, frame_slots
from engine.graphs import GraphPool, compile_piece, graph_unavailable_reason
from engine.lm import UNGENERATED, LanguageModel
from engine.mimi import Mimi
from engine.sampling import SamplingValues, fill_upstream_noise
from engine.stages import MODES, Stage, Stages
from engine.state import Slots, State
from engine.text import TextTokenizer

if TYPE_CHECKING:
    from engine.persona import Prompt

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
WINDOWS = ("upstream", "personaplex")

Progress = Callable[[str, int, int], None]
Cancel = Callable[[], bool]


class Spans(NamedTuple):
    """Milliseconds of one frame. `host` is the total without the four stages: copies, Python, the wait."""

    encode: float
    temporal: float
    depth: float
    decode: float
    host: float
    total: float


class Answer(NamedTuple):
    """What came out on one frame. `text` and `own` are None until the first output (lm.md 8a)."""

    pcm: np.ndarray  # [1920] float32 in [-1, 1]; the caller may keep it
    text: int | None
    own: tuple[int, ...] | None
    user: tuple[int, ...]  # the codes heard on this frame
    spans: Spans


class _Prefix(NamedTuple):
    """The attention rings after a voice and its silence, kept for the next talk with the same voice."""

    key: str
    rings: dict[str, Tensor]


class Duplex:
    """A loaded model and one talk with it."""

    sample_rate = 24000
    frame_size = 1920
    frame_rate = 12.5

    @torch.inference_mode()
    def __init__(
        self,
        lm: LanguageModel,
        mimi: Mimi,
        *,
        window: str = "upstream",
        files: weights.ModelFiles | None = None,
        tokenizer: TextTokenizer | None = None,
    ):
        """Modules with their parameters in place, on one device. `window`: what attention sees past the context."""
        if window not in WINDOWS:
            raise EngineError(f"The window must be one of {', '.join(WINDOWS)}, not {window!r}.")
        self.lm_config, self.mimi_config, self.files = lm.config, mimi.config, files
        self.lm, self.mimi, self._tokenizer = lm, mimi, tokenizer
        self.device = lm.temporal.out_norm.device
        self.dtype = lm.temporal.out_norm.dtype
        if self.device.type == "cuda":
            _fix_kernel_choices()
        self.precision = next(name for name, dtype in PRECISIONS.items() if dtype == self.dtype)
        self.trained = files.trained if files else False
        self.prompt_codes = PromptCodes.from_dict(files.config if files else {}, lm.config)
        self.default_sampling = SamplingValues.from_config(files.lm_gen_config if files else {})

        self._listening, self._speaking = mimi.slots()
        slots = (
            frame_slots(lm.config, mimi.config, self.dtype) | lm.slots(self.dtype) | self._listening | self._speaking
        )
        self.state = State(slots, self.device)
        shorter = 1 if window == "personaplex" else 0  # that code's rings hide their oldest entry (lm.md 7)
        make_frame = partial(
            Frame, lm, mimi, self.state, lm_window=lm.config.context - shorter,
            mimi_window=mimi.config.context - shorter, counted_noise=self.device.type == "cuda",
        )  # fmt: skip
        self.frame = make_frame()
        self._generator = torch.Generator()  # the CPU's random stream; on CUDA seed and counter live in the state
        pool = GraphPool(self.device) if graph_unavailable_reason(self.device) is None else None

        def stages(*names: str) -> Stages:
            def compiled() -> list[Stage]:
                return _stages_of(make_frame(wrap=compile_piece), names)

            return Stages(_stages_of(self.frame, names), self.device, self.state, pool=pool, compiled=compiled)

        self._frame_stages, self._prefill_stage = stages(*STAGES), stages("prefill")
        self._chunk = self.state["prefill.embeddings"].shape[1]
        self._host = self._open_host_buffers()
        self._prefix: _Prefix | None = None
        self.mode = "eager"
        self.sampling = self.default_sampling
        self.reset()

    # ------------------------------------------------------------ loading

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: str = "auto",
        precision: str = "auto",
        window: str = "upstream",
        progress: Progress | None = None,
        cancelled: Cancel | None = None,
    ) -> Duplex:
        """Read a checkpoint folder. Raises EngineError with a sentence, Cancelled when `cancelled()` says so."""
        files = weights.find(folder)
        where = choose_device(device)
        dtype = choose_dtype(precision, where)
        lm_config, mimi_config = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
        tokenizer = TextTokenizer(files.tokenizer, lm_config)
        weights.check_mimi(files, mimi_config, lm_config.codebooks)  # before the long read of the other file
        with torch.inference_mode():
            loading = weights.Loading(progress, cancelled, reserve=_state_bytes(lm_config, mimi_config, dtype))
            lm = weights.load_lm(files, lm_config, where, dtype, loading)
            loading = weights.Loading(progress, cancelled)
            mimi = weights.load_mimi(files, mimi_config, lm_config.codebooks, where, loading=loading)
        return cls(lm, mimi, window=window, files=files, tokenizer=tokenizer)

    @classmethod
    @torch.inference_mode()
    def random(
        cls, lm_config: LMConfig, mimi_config: MimiConfig, *,
        device: str = "auto", precision: str = "auto", seed: int = 0, window: str = "upstream",
    ) -> Duplex:  # fmt: skip
        """A model of these sizes with random weights made on the device: for measuring, not for talking."""
        where = choose_device(device)
        dtype = choose_dtype(precision, where)
        with torch.device("meta"):
            lm, mimi = LanguageModel(lm_config).to(dtype), Mimi(mimi_config, lm_config.codebooks)
        generator = torch.Generator(where).manual_seed(seed)
        for module in (lm.to_empty(device=where), mimi.to_empty(device=where)):
            for name, parameter in module.named_parameters():
                stacked = module is lm or name == "quantizer.codebooks"
                _randomise(name, parameter, generator, parameter.shape[-1] if stacked else parameter[0].numel())
        mimi.quantizer.precompute()
        return cls(lm, mimi, window=window)

    def unload(self) -> None:
        """Give the device's memory back. The object is of no use afterwards."""
        for stages in (self._frame_stages, self._prefill_stage):
            for mode in MODES:
                stages.release(mode)
        for name in ("lm", "mimi", "state", "frame", "_frame_stages", "_prefill_stage", "_prefix", "_host"):
            delattr(self, name)
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    @property
    def weights_bytes(self) -> int:
        return sum(p.numel() * p.element_size() for m in (self.lm, self.mimi) for p in m.parameters())

    @property
    def state_bytes(self) -> int:
        return self.state.nbytes

    @property
    def context(self) -> int:
        """Frames that the temporal attention sees."""
        return self.frame.lm_window

    # ------------------------------------------------------------ modes

    def mode_reasons(self) -> dict[str, str | None]:
        """For each mode None, or why this computer cannot do it."""
        return self._frame_stages.reasons()

    @torch.inference_mode()
    def prepare(
        self, mode: str, progress: Callable[[int, int], None] | None = None, cancelled: Cancel | None = None
    ) -> None:
        """Warm up, compile and capture what a mode needs; the talk is afterwards as before, in every case.

        Raises EngineError (the mode stays unusable; the sentence says why) or Cancelled.
        """
        _check_mode(mode)
        try:
            self._frame_stages.prepare(mode, progress, cancelled)
            self._prefill_stage.prepare(mode, None, cancelled)
        finally:
            if self.device.type == "cuda":
                torch.cuda.empty_cache()  # the copies of the state that rehearsals needed

    def set_mode(self, mode: str) -> None:
        """Run the next frame in a prepared mode. Nothing is copied, moved or built."""
        _check_mode(mode)
        if mode not in self._frame_stages.prepared or mode not in self._prefill_stage.prepared:
            raise EngineError(f"The mode {mode} has not been prepared.")
        self.mode = mode

    # ------------------------------------------------------------ a talk

    @torch.inference_mode()
    def set_sampling(self, values: SamplingValues) -> None:
        """From the next frame on. The values were checked when they were made; all of them change together."""
        self.sampling = values
        for name in ("temperature", "top_k", "text_temperature", "text_top_k"):
            self.state[f"sampling.{name}"].fill_(getattr(values, name))

    @torch.inference_mode()
    def reset(self, seed: int | None = None) -> None:
        """As a freshly loaded model: nothing of an earlier talk is left. seed None = a new one."""
        seed = secrets.randbits(48) if seed is None else seed
        if not 0 <= seed < 2**63:
            raise EngineError(f"The seed must be a whole number from 0 to {2**63 - 1}, not {seed}.")
        self.state.reset()
        self.state["sampling.seed"].fill_(seed)
        self._generator.manual_seed(seed)
        self.set_sampling(self.sampling)
        self._silent_frames = self.lm_config.max_delay  # until the first whole frame of own codes is out

    @torch.inference_mode()
    def step(self, pcm: np.ndarray) -> Answer:
        """Hear and say one frame. pcm [1920] float32 in [-1, 1]. Waits for the device once, at the copy-out."""
        began = perf_counter_ns()
        assert pcm.shape == (self.frame_size,), "one frame at a time"
        self._host.pcm_in.copy_(torch.from_numpy(np.ascontiguousarray(pcm, dtype=np.float32)))
        self.state["frame.pcm_in"].copy_(self._host.pcm_in[None, None], non_blocking=True)
        self._draw_noise()
        self._frame_stages.run(self.mode)
        self._host.tokens[: 1 + self.lm_config.own].copy_(self.state["frame.spoken"][0], non_blocking=True)
        self._host.tokens[1 + self.lm_config.own :].copy_(self.state["frame.heard"][0], non_blocking=True)
        self._host.pcm_out.copy_(self.state["frame.pcm_out"][0, 0], non_blocking=True)
        if self.device.type == "cuda":
            torch.cuda.current_stream().synchronize()
        return self._answer((perf_counter_ns() - began) / 1e6)

    def _answer(self, total: float) -> Answer:
        tokens, own = self._host.tokens.tolist(), self.lm_config.own
        user = tuple(tokens[1 + own : 1 + own + self.lm_config.user])
        encode, temporal, depth, decode = self._frame_stages.spans()
        host = max(0.0, total - (encode + temporal + depth + decode))
        timed = Spans(encode, temporal, depth, decode, host, total)
        if self._silent_frames > 0:  # no whole frame of own codes yet: what the decoder made of half ones is forgotten
            self._silent_frames -= 1
            self._fill(self._speaking)
            return Answer(np.zeros(self.frame_size, np.float32), None, None, user, timed)
        pcm = np.clip(self._host.pcm_out.numpy(), -1.0, 1.0)
        return Answer(pcm, tokens[0], tuple(tokens[1 : 1 + own]), user, timed)

    def _draw_noise(self) -> None:
        if not self.frame.counted_noise:
            s = self.state
            fill_upstream_noise(s["sampling.text_noise"], s["sampling.noise"], self.sampling, self._generator)

    # ------------------------------------------------------------ a persona before the talk

    @torch.inference_mode()
    def encode_voice(self, pcm: np.ndarray, cancelled: Cancel | None = None) -> list[list[int]]:
        """Codes of a recording, frame by frame from a fresh codec: pcm [n] float32, padded to whole frames.

        -> one list of `own` codes a frame. The codec is left as at the start of a talk.
        """
        frames = np.pad(pcm.astype(np.float32), (0, -len(pcm) % self.frame_size)).reshape(-1, self.frame_size)
        self._reset_codec()
        codes = []
        for frame in frames:
            if cancelled and cancelled():
                self._reset_codec()
                raise Cancelled
            self.state["frame.pcm_in"].copy_(torch.from_numpy(frame)[None, None])
            self.frame.encode()
            codes.append(self.state["frame.heard"][0, : self.lm_config.own].tolist())
        self._reset_codec()
        return codes

    @torch.inference_mode()
    def prime(
        self, prompt: Prompt, cancelled: Cancel | None = None, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Put a persona before a talk that was just reset: one batched prefill, then the step that decides the first
        own tokens, so that the talk's first frame is already answered (lm.md 8c; personaplex.md).

        Raises Cancelled with the talk reset, as if never primed.
        """
        tokens = prompt.tokens.to(self.device)[None]  # [1, K, columns]: positions first..end
        end = prompt.first_position + tokens.shape[2] - 1
        try:
            done = self._resume_prefix(prompt)
            for position in range(done, end - 1, self._chunk):
                if cancelled and cancelled():
                    raise Cancelled
                if progress:
                    progress(position, end)
                self._prefill_chunk(prompt, tokens, position, min(position + self._chunk, end - 1))
            self._decide_first_tokens(tokens, end)
        except Cancelled:
            self.reset(int(self.state["sampling.seed"].item()))
            raise
        self._reset_codec()
        self._silent_frames = 0

    def _prefill_chunk(self, prompt: Prompt, tokens: Tensor, start: int, stop: int) -> None:
        """Positions start..stop-1: from the voice's stored embeddings where there are some, from tokens behind them."""
        stored = prompt.embeddings[start:stop] if prompt.embeddings is not None else torch.empty(0, self.lm_config.dim)
        columns = slice(start + len(stored) - prompt.first_position, stop - prompt.first_position)
        rows = self.state["prefill.embeddings"][0]
        rows[: len(stored)] = stored.to(rows)
        if columns.stop > columns.start:
            rows[len(stored) : stop - start] = self.lm.temporal.embed(tokens[:, :, columns])[0]
        self.state["tokens.position"].fill_(start)
        self.state["prefill.count"].fill_(stop - start)
        self._prefill_stage.run(self.mode)
        if prompt.prefix_key and start < prompt.prefix_columns <= stop:
            self._keep_prefix(prompt)

    def _decide_first_tokens(self, tokens: Tensor, end: int) -> None:
        """Position end - 1, whose result does not depend on the user, with what the prompt forces at `end`."""
        s, lm = self.state, self.lm_config
        ring = s["tokens.ring"]
        for column, position in ((-2, end - 1), (-1, end)):
            ring[:, :, position % ring.shape[2]] = tokens[:, :, column]
        user = torch.arange(1 + lm.own, lm.streams, device=self.device)
        heard = tokens[
            :, user, torch.where(self.frame.delays[user] > 0, -1, -2)
        ]  # the last prompt frame's, over its delays
        s["frame.heard"][:, : lm.user] = heard
        s["frame.forced"].copy_(tokens[:, : 1 + lm.own, -1])
        s["tokens.position"].fill_(end - 1)
        self._draw_noise()
        self.frame.temporal()
        self.frame.depth()
        s["frame.forced"].fill_(UNGENERATED)

    def _resume_prefix(self, prompt: Prompt) -> int:
        """Take the voice's rings from the last talk with it; the number of positions that spares."""
        if self._prefix is None or not prompt.prefix_key or self._prefix.key != prompt.prefix_key:
            return 0
        for name, rows in self._prefix.rings.items():
            self.state[name][:, :, : rows.shape[2]] = rows
        return prompt.prefix_columns

    def _keep_prefix(self, prompt: Prompt) -> None:
        count = prompt.prefix_columns
        if count <= self.lm_config.context:
            rings = {
                name: self.state[name][:, :, :count].clone() for name in self.state if name.startswith("temporal.")
            }
            self._prefix = _Prefix(prompt.prefix_key, rings)

    def _reset_codec(self) -> None:
        self._fill(self._listening)
        self._fill(self._speaking)

    def _fill(self, slots: Slots) -> None:
        for name, slot in slots.items():
            self.state[name].fill_(slot.fill)

    # ------------------------------------------------------------ text, snapshots, buffers

    def text_piece(self, token: int) -> str:
        """The token's text, its word mark as a space; "" for padding and where there is no tokenizer."""
        return self._tokenizer.piece(token) if self._tokenizer else ""

    def text_tokens(self, text: str) -> list[int]:
        """Raises EngineError when the checkpoint brought no tokenizer."""
        if self._tokenizer is None:
            raise EngineError("This model has no tokenizer file, so a persona text cannot be used with it.")
        return self._tokenizer.tokens(text)

    def snapshot(self) -> _Snapshot:
        """The whole talk, in host memory."""
        return _Snapshot(self.state.snapshot(), self._generator.get_state(), self._silent_frames, self.sampling)

    @torch.inference_mode()
    def restore(self, snapshot: _Snapshot) -> None:
        self.state.restore(snapshot.tensors)
        self._generator.set_state(snapshot.generator)
        self._silent_frames, self.sampling = snapshot.silent_frames, snapshot.sampling

    def _open_host_buffers(self) -> _HostBuffers:
        """Pinned host ends of a frame, so that its copies need no hidden staging and no hidden wait."""
        pinned = self.device.type == "cuda"
        tokens = 1 + self.lm_config.own + self.lm_config.codebooks
        return _HostBuffers(
            torch.zeros(self.frame_size, pin_memory=pinned),
            torch.zeros(self.frame_size, pin_memory=pinned),
            torch.zeros(tokens, dtype=torch.int64, pin_memory=pinned),
        )


class _HostBuffers(NamedTuple):
    pcm_in: Tensor
    pcm_out: Tensor
    tokens: Tensor


class _Snapshot(NamedTuple):
    tensors: dict[str, Tensor]
    generator: Tensor
    silent_frames: int
    sampling: SamplingValues


def _randomise(name: str, parameter: Tensor, generator: torch.Generator, fan_in: int) -> None:
    """Matrices that keep a signal's size, norms that do nothing: activations stay finite however deep the stack."""
    if parameter.dim() == 1:
        parameter.fill_(0.0 if "bias" in name else 0.1 if "scale" in name else 1.0)
    else:
        parameter.normal_(0.0, fan_in**-0.5, generator=generator)


def _fix_kernel_choices() -> None:
    """CUDA libraries may not choose by trial, round to TF32, or use kernels whose sums come in varying order.

    cuDNN's attention was seen to differ in the last bit between two identical frames in a hundred or so.
    Process-wide settings, made once, by the only user of CUDA.
    """
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.enable_cudnn_sdp(False)


def _state_bytes(lm: LMConfig, mimi: MimiConfig, dtype: torch.dtype) -> int:
    """Bytes of a talk's state, told from the sizes alone."""
    with torch.device("meta"):
        slots = LanguageModel(lm).slots(dtype) | frame_slots(lm, mimi, dtype)
        for half in Mimi(mimi, lm.codebooks).slots():
            slots |= half
    return State(slots, "meta").nbytes


def _stages_of(frame: Frame, names: Sequence[str]) -> list[Stage]:
    return [Stage(name, getattr(frame, name)) for name in names]


def _check_mode(mode: str) -> None:
    if mode not in MODES:
        raise EngineError(f"The mode must be one of {', '.join(MODES)}, not {mode!r}.")


def choose_device(device: str) -> torch.device:
    """auto = the first CUDA device, else the CPU. Raises EngineError for a device this computer has not got."""
    if device == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError:
        chosen = None
    if chosen is None or chosen.type not in ("cpu", "cuda"):
        raise EngineError(f"The device must be auto, cpu or cuda, not {device!r}.")
    if chosen.type == "cpu":
        return chosen
    index = chosen.index or 0
    if not torch.cuda.is_available() or index >= torch.cuda.device_count():
        raise EngineError(f"There is no {device} device on this computer: use the device cpu, or see parley doctor.")
    return torch.device("cuda", index)


def choose_dtype(precision: str, device: torch.device) -> torch.dtype:
    """auto = bfloat16 on a GPU (the published weights' own), float32 on a CPU, where bfloat16 is slow."""
    if precision == "auto":
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    if precision not in PRECISIONS:
        raise EngineError(f"The precision must be auto, {' or '.join(PRECISIONS)}, not {precision!r}.")
    return PRECISIONS[precision]
