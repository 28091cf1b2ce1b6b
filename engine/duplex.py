"""The full-duplex engine: one 80 ms frame of audio in, one out.

Owns the model, the state of the talk, and the choice of how a frame is run. Everything here is called from one
thread, the engine thread; nothing here knows of sound devices, windows or files other than a checkpoint's.
`step` is the frame, top to bottom; `prime` puts a persona before the talk; `prepare` and `set_mode` switch between
launching the stages one by one (eager), replaying captured graphs, and compiled code, in the middle of a talk.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter_ns

import numpy as np
import torch

from engine import weights
from engine.answer import Answer, HostEnds, Spans
from engine.config import LMConfig, MimiConfig, PromptCodes
from engine.errors import Cancelled, EngineError
from engine.faults import give_back, memory_told
from engine.frame import STAGES, frame_slots
from engine.frame_choice import FrameChoice
from engine.graph_pool import GraphPool
from engine.graphs import COMPILED, graph_unavailable_reason
from engine.lm import UNGENERATED, LanguageModel
from engine.mimi import Mimi
from engine.opening import Cancel, Progress, open_folder
from engine.persona import Prompt
from engine.placement import check_talk, choose_device, fix_kernel_choices, name_of
from engine.precision import KV
from engine.priming import Primer
from engine.random_model import random_modules
from engine.sampling import SamplingValues, fill_upstream_noise
from engine.stages import HANDOVER, MODES, NO_ENDS, Ends, Handover, Stage, Stages, check_mode
from engine.state import Slots, State, TalkSnapshot
from engine.text import TextTokenizer


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
        kv: str = KV[0],
        kernels: bool = True,
        files: weights.ModelFiles | None = None,
        tokenizer: TextTokenizer | None = None,
        cancelled: Cancel | None = None,
        handover: Handover = HANDOVER,
    ):
        """Modules with their parameters in place, on one device. `window`: what attention sees past the context.
        `kv`: what past frames are kept in. `handover`: the way of frames to the card and back.

        `kernels`: use the fused GPU kernels where this computer can; `plain_reason` then says why it could not.
        Raises EngineError, when memory runs out too, and Cancelled.
        """
        check_talk(window, kv)
        self.lm_config, self.mimi_config, self.files = lm.config, mimi.config, files
        self.lm, self.mimi, self._tokenizer = lm, mimi, tokenizer
        self.device, self.dtype = lm.temporal.out_norm.device, lm.temporal.out_norm.dtype
        if self.device.type == "cuda":
            fix_kernel_choices()
        self.precision = lm.precision or name_of(self.dtype)
        self.kv = kv
        self.trained = files.trained if files else False
        self.prompt_codes = PromptCodes.from_dict(files.config if files else {}, lm.config)
        self.default_sampling = SamplingValues.from_config(files.lm_gen_config if files else {})

        self._listening, self._speaking = mimi.slots()
        slots = frame_slots(lm.config, mimi.config, self.dtype) | lm.slots(self.dtype, kv)
        slots |= self._listening | self._speaking
        shorter = 1 if window == "personaplex" else 0  # that code's rings hide their oldest entry (lm.md 7)
        windows = lm.config.context - shorter, mimi.config.context - shorter
        with memory_told("the talk's memory was set up", self.device):
            self.state = State(slots, self.device)
            self._frames = FrameChoice(lm, mimi, self.state, windows)
            self.frame = self._frames.best(kernels, cancelled)
            self.plain_reason = self._frames.plain_reason  # why there are no fused kernels; None where there are
            self._generator = torch.Generator()  # the CPU's random stream; on CUDA seed and counter live in the state
            self._pool = GraphPool(self.device) if graph_unavailable_reason(self.device) is None else None
            self._prefill_stage = self._make_stages("prefill")
            self._primer = Primer(self.frame)
            self._hand_over(handover)
        self.mode = "eager"
        self.sampling = self.default_sampling
        self.reset()

    def _make_stages(self, *names: str, ends: Ends = NO_ENDS, how: Handover = HANDOVER) -> Stages:
        return Stages(
            [Stage(name, getattr(self.frame, name)) for name in names], self.device, self.state, pool=self._pool,
            rehearsed=self.plain_reason is None and names == STAGES, liven=self._liven,
            compiled=lambda form: self._frames.compiled(names, form), ends=ends, handover=how,
        )  # fmt: skip

    def _hand_over(self, how: Handover) -> None:
        """Frames go this way from now on, in modes that have still to be prepared."""
        how = how if self.plain_reason is None else how.without_kernels()
        self._host = HostEnds(self.lm_config, self.state, self.frame_size, kernels=how.ends == "kernels")
        self._frame_stages = self._make_stages(*STAGES, ends=Ends(self._host.enter, self._leave), how=how)

    def _liven(self) -> None:
        """Inputs that are not all zero, as a fresh talk's are: with those any two ways to run a stage would agree."""
        self._host.put(np.sin(np.arange(self.frame_size, dtype=np.float32)))
        for name in ("frame.pcm_in", "prefill.embeddings"):
            slot = self.state[name]
            slot.copy_(torch.arange(slot.numel(), device=self.device).mul(0.37).sin().view_as(slot))
        self.state["prefill.count"].fill_(self.state["prefill.embeddings"].shape[1])

    # ------------------------------------------------------------ loading

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: str = "auto",
        precision: str = "auto",
        window: str = "upstream",
        kv: str = KV[0],
        kernels: bool = True,
        cache: Path | None = None,
        speech: Callable[[], np.ndarray] | None = None,
        progress: Progress | None = None,
        cancelled: Cancel | None = None,
    ) -> Duplex:
        """Read a checkpoint folder. Raises EngineError with a sentence, Cancelled when `cancelled()` says so.

        cache: where models converted to a quantised precision are kept; None: rounded at every load, and not judged.
        speech: some seconds of talk, float32 at `sample_rate`, on which a trained model that is converted is judged.
        """
        opened = open_folder(
            folder, device=device, precision=precision, kv=kv, kernels=kernels, cache=cache, speech=speech,
            progress=progress, cancelled=cancelled,
        )  # fmt: skip
        return cls(
            opened.lm, opened.mimi,
            window=window, kv=kv, kernels=kernels, files=opened.files, tokenizer=opened.tokenizer, cancelled=cancelled,
        )  # fmt: skip

    @classmethod
    @torch.inference_mode()
    def random(
        cls, lm_config: LMConfig, mimi_config: MimiConfig, *, device: str = "auto", precision: str = "auto",
        seed: int = 0, window: str = "upstream", kv: str = KV[0], kernels: bool = True,
    ) -> Duplex:  # fmt: skip
        """A model of these sizes with random weights made on the device: for measuring, not for talking."""
        where = choose_device(device)
        give_back(where)
        with memory_told("the model was made", where):
            lm, mimi = random_modules(lm_config, mimi_config, where, precision, seed)
        return cls(lm, mimi, window=window, kv=kv, kernels=kernels)

    def unload(self) -> None:
        """Give the device's memory back. The object is of no use afterwards."""
        for mode in MODES:
            self._frame_stages.release(mode)
            self._prefill_stage.release(mode)
        # No local name may still hold a part here, or what it holds comes free only after memory was given back.
        for name in ("lm", "mimi", "state", "frame", "_frames", "_frame_stages", "_prefill_stage", "_primer", "_host"):
            delattr(self, name)
        give_back(self.device)

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
        self, mode: str, progress: Callable[[int, int], None] | None = None, cancelled: Cancel | None = None,
        form: str = COMPILED,
    ) -> None:  # fmt: skip
        """Warm up, compile and capture what a mode needs; the talk is afterwards as before, in every case.
        `form`: of compiled code, one of `engine.graphs.COMPILED_FORMS`, once and for all.

        Raises EngineError (the mode stays unusable; the sentence says why) or Cancelled.
        """
        check_mode(mode)
        try:
            with memory_told(f"the {mode} mode was prepared", self.device):
                self._frame_stages.prepare(mode, progress, cancelled, form)
                self._prefill_stage.prepare(mode, None, cancelled, form)
        finally:
            if self.device.type == "cuda":
                torch.cuda.empty_cache()  # the copies of the state that rehearsals needed

    def name_ranges(self) -> None:
        """Before `prepare`: name stages and modes for profilers (`Stages.name_ranges`)."""
        self._frame_stages.name_ranges()

    def set_mode(self, mode: str) -> None:
        """Run the next frame in a prepared mode. Nothing is copied, moved or built."""
        check_mode(mode)
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
    def hold(self, held: bool) -> None:
        """From the next frame on the model says nothing, or what it likes again; `reset` and `prime` let go too."""
        silence = (self.lm_config.existing_text_padding_id, *self.prompt_codes.silence)
        self.state["frame.forced"].copy_(torch.tensor(silence if held else UNGENERATED))

    @torch.inference_mode()
    def step(self, pcm: np.ndarray) -> Answer:
        """Hear and say one frame. pcm [1920] float32 in [-1, 1]. Waits for the device once, at the copy-out."""
        began = perf_counter_ns()
        with memory_told("the talk went on", self.device):
            self._host.put(pcm)
            self._draw_noise()
            self._frame_stages.run(self.mode)
            self._host.wait()
        silent = self._silent_frames > 0
        if silent:  # no whole frame of own codes yet: what the decoder made of half ones is forgotten
            self._silent_frames -= 1
            self._fill(self._speaking)
        return self._host.answer(silent, Spans.of((perf_counter_ns() - began) / 1e6, self._frame_stages.spans()))

    def _leave(self, mode: str) -> None:
        # What the temporal transformer made in this frame is elsewhere in compiled code.
        self._host.leave(self.state["frame.hidden"] if mode == "compiled" else self.frame.hidden)

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
        try:
            with memory_told("the voice was listened to", self.device):
                for frame in frames:
                    if cancelled and cancelled():
                        raise Cancelled
                    self.state["frame.pcm_in"].copy_(torch.from_numpy(frame)[None, None])
                    self.frame.encode()
                    codes.append(self.state["frame.heard"][0, : self.lm_config.own].tolist())
        finally:
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
        self._draw_noise()
        prefill, arithmetic = partial(self._prefill_stage.run, self.mode), "compiled" if self.mode == "compiled" else ""
        try:
            with memory_told("the persona was read", self.device):
                self._primer.prime(prompt, prefill, cancelled, progress, arithmetic=arithmetic)
        except Cancelled:
            self.reset(int(self.state["sampling.seed"].item()))
            raise
        self._reset_codec()
        self._silent_frames = 0

    def _reset_codec(self) -> None:
        self._fill(self._listening | self._speaking)

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

    def snapshot(self) -> TalkSnapshot:
        """The whole talk, in host memory."""
        return TalkSnapshot(self.state.snapshot(), self._generator.get_state(), self._silent_frames, self.sampling)

    @torch.inference_mode()
    def restore(self, snapshot: TalkSnapshot) -> None:
        self.state.restore(snapshot.tensors)
        self._generator.set_state(snapshot.generator)
        self._silent_frames, self.sampling = snapshot.silent_frames, snapshot.sampling
