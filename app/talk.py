"""A talk without a window: a recording in, the model's reply, its words and its tokens out.

Owns the order of a headless run and its exit status. The talk itself is the same `Conversation` as in the window, with
`WavAudio` as its ends, in its own thread; the calling thread watches, shows progress and hears Ctrl-C, so that no frame
is ever cut in half. Outputs are checked before the work and written whole after it; what cannot be written to its place
then, because a folder went away or a disk filled up meanwhile, is kept elsewhere.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from app import messages as say
from app.audio import WavAudio
from app.conversation import Conversation
from app.crash_report import CrashReports
from app.diagnostics import kept_log, model_lines
from app.engine_room import Loader, Voices, engine_thread, open_engine
from app.errors import UserError
from app.interrupts import Interrupts
from app.messages import CancelLoad, Event, LoadModel, ModelInfo, SetSampling, StartTalk
from app.paths import user_cache_folder, user_voice_folder
from app.recording import check_writable, read_recording, write_recording, write_whole
from app.ring import FRAME, SAMPLE_RATE
from app.talk_options import TalkOptions
from app.talk_report import caution, latency_table, model_line, pace_line, token_entry, token_list
from app.telemetry import FrameHistory
from app.transcript import Transcript
from app.voices import VoiceFolder

LOOK_S = 0.05  # between two looks at what happened
CLOSE_S = 5.0  # for an engine thread that is in the middle of something
INTERRUPTED = 130  # exit status of a program that Ctrl-C ended
FAILED = 1
_PACE_KINDS = ("slow", "slower")  # without a clock to keep up with, they are no trouble: the table tells the pace


def run_talk(
    options: TalkOptions,
    *,
    load_engine: Loader = open_engine,
    voices: Voices | None = None,
    thread_context: Callable[[], AbstractContextManager[object]] = engine_thread,
    sleep: Callable[[float], None] = time.sleep,
    engine_busy: Callable[[int], object] = int,
) -> int:
    """Run the talk that `options` asks for. Returns the exit status; raises UserError when nothing could be done.

    0: done. 1: the engine failed on the way, or an output is not where it was to be. 130: Ctrl-C, or ended by a signal.
    In the last two cases what was answered until then has been written, and the terminal says so. engine_busy: called
    with the exit status, as the last thing, when the engine thread could not be stopped.
    """
    _check_outputs(options)
    recording = read_recording(options.input)
    ends = WavAudio(recording.pcm, lead_silence_s=options.lead_silence, realtime=options.realtime)
    entries: list[dict[str, Any]] = []
    conversation = Conversation(
        ends,
        voices=voices or VoiceFolder(user_voice_folder(), user_cache_folder()),
        load_engine=load_engine,
        thread_context=thread_context,
        history=FrameHistory(ends.frames),
        on_answer=lambda answer, sound: entries.append(token_entry(answer)),
        begins_anew=False,
    )
    with Interrupts() as interrupts:
        return _run(conversation, _Watch(conversation, options, ends, interrupts), entries, sleep, engine_busy)


def _run(
    conversation: Conversation,
    watch: _Watch,
    entries: list[dict[str, Any]],
    sleep: Callable[[float], None],
    engine_busy: Callable[[int], object],
) -> int:
    with kept_log() as kept:
        reports = CrashReports.of_a_talk(
            lambda: model_lines(conversation), lambda: tuple(kept.lines), conversation.history.tail
        )
        conversation.on_failure = lambda error, attempt: reports.write(error, f"parley talk ({attempt})")
        watch.run(sleep)
    status = _finish(watch, entries)
    if not watch.ended:
        engine_busy(status)
    return status


def _finish(watch: _Watch, entries: list[dict[str, Any]]) -> int:
    if not entries:
        return _nothing_done(watch)
    outputs = _write(watch, entries)
    _report(watch, outputs)
    failed = watch.failure or any(output.trouble for output in outputs)
    return INTERRUPTED if watch.interrupted or watch.interrupts.count else FAILED if failed else 0


class _Watch:
    """Follows the conversation's events until the talk is over, in the calling thread."""

    def __init__(
        self, conversation: Conversation, options: TalkOptions, ends: WavAudio, interrupts: Interrupts
    ) -> None:
        self.info: ModelInfo | None = None
        self.mode = ""
        self.transcript = Transcript()
        self.failure = ""  # the sentence, when the engine or the start failed
        self.interrupted = False
        self.ended = False  # the engine thread
        self.elapsed_s = 0.0
        self.conversation = conversation
        self.options = options
        self.ends = ends
        self.interrupts = interrupts
        self._over = False
        self._started = False
        self._began_s = 0.0
        self._console = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
        self._task: TaskID | None = None
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(), console=self._console, transient=True, disable=not self._console.is_terminal,
        )  # fmt: skip

    def run(self, sleep: Callable[[float], None]) -> None:
        """Returns when the talk is over or interrupted, and the engine thread has ended or been waited for."""
        self.conversation.start_thread()
        self.conversation.send(SetSampling(self.options.sampling))
        self.conversation.send(LoadModel(self.options.model))
        try:
            with self._progress:
                while not self._over and not self.interrupted:
                    self._look(sleep)
        finally:
            self.ended = self._close()
            for event in self.conversation.events():
                self._follow(event)

    def _close(self) -> bool:
        """Waits a while for the engine thread, which may hang in a file or a build; another signal ends the wait."""
        gives_up, seen = time.monotonic() + CLOSE_S, self.interrupts.count
        while not (ended := self.conversation.close(LOOK_S)):
            if time.monotonic() > gives_up or self.interrupts.count > seen:
                break
        return ended

    def _look(self, sleep: Callable[[float], None]) -> None:
        try:
            if self.interrupts.count:
                raise KeyboardInterrupt
            for event in self.conversation.events():
                self._follow(event)
            if self.conversation.phase == "talking":
                self._show("talk", self.ends.frames_read, self.ends.frames)
            sleep(LOOK_S)
        except KeyboardInterrupt:
            self.interrupted = True
            self.elapsed_s = time.monotonic() - self._began_s  # unless the engine thread still tells
            self.conversation.send(CancelLoad())

    def _follow(self, event: Event) -> None:
        match event:
            case say.LoadProgressed(what, done, total):
                self._show(what, done, total)
            case say.ModelLoaded(info):
                self.info = info
            case say.ModeChanged(mode):
                self.mode = mode
            case say.PhaseChanged("ready"):
                self._start()
            case say.TalkStarted():
                self._began_s = time.monotonic()
            case say.TextSpoken(time_s, piece):
                self.transcript.add(time_s, piece)
            case say.TalkEnded():
                self.elapsed_s = time.monotonic() - self._began_s
                self._over = True
            case say.PhaseChanged("closed"):
                self._over = True
            case say.Trouble():
                self._trouble(event)

    def _start(self) -> None:
        """The model is ready: start, unless something that was asked for by name had to be replaced."""
        if self._started or self.interrupted:
            return
        self._started = True
        assert self.info is not None
        wanted = self.options.model.mode
        if wanted not in ("auto", self.mode):
            reason = self.info.modes.get(wanted) or "it could not be prepared"
            self.failure = f"The {wanted} mode cannot be used: {reason.rstrip('.')}. Choose another, or auto."
        if self.failure:
            self._over = True
            return
        if note := caution(self.info):
            self._console.print(f"Note: {note}")
        self.conversation.send(StartTalk(self.options.persona))

    def _trouble(self, trouble: say.Trouble) -> None:
        if trouble.fatal or trouble.kind in ("voice", "start", "sound"):
            self.failure = trouble.sentence
            self._over = True
        elif trouble.kind == "sampling":  # told before the model is ready: a wish by name is granted or refused
            self.failure = trouble.sentence
        elif (trouble.kind != "mode" or self._started) and (trouble.kind not in _PACE_KINDS or self.options.realtime):
            self._console.print(f"Note: {trouble.sentence}")

    def _show(self, what: str, done: int, total: int) -> None:
        if self._task is None or self._progress.tasks[-1].description != what:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._task = self._progress.add_task(what, total=total)
        self._progress.update(self._task, completed=done, total=total)


def _nothing_done(watch: _Watch) -> int:
    if watch.failure:
        raise UserError(watch.failure)
    Console(stderr=True).print("Interrupted before the first frame; nothing was written.")
    return INTERRUPTED


def _check_outputs(options: TalkOptions) -> None:
    """Raises UserError for outputs that could not be written, or would overwrite the input or one another."""
    outputs = [path for path in (options.output, options.transcript, options.tokens_out) if path is not None]
    for path in outputs:
        if _same(path, options.input):
            raise UserError(f"{path} is the input itself; choose another file for the output.")
        if sum(_same(path, other) for other in outputs) > 1:
            raise UserError(f"{path} is named for two outputs; give each its own file.")
        check_writable(path)


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)  # links and letter case included
    return one.resolve() == other.resolve()


class _Output(NamedTuple):
    """path: where it is; trouble: why it is not where it was to be, or ""."""

    name: str
    path: Path
    trouble: str


def _write(watch: _Watch, entries: list[dict[str, Any]]) -> list[_Output]:
    options, ends = watch.options, watch.ends
    samples = min(ends.samples, len(entries) * FRAME)  # fewer than all only when the talk was cut short
    reply = ends.answers[:samples]
    channels = [ends.heard[:samples], reply] if options.stereo else [reply]
    outputs = [_keep("Reply", options.output, lambda path: write_recording(path, channels))]
    if options.transcript is not None:
        assert watch.info is not None
        made = watch.transcript.to_json(watch.info.name, samples / SAMPLE_RATE)
        words = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        outputs.append(_keep("Transcript", options.transcript, lambda path: _write_text(path, words)))
    if options.tokens_out is not None:
        outputs.append(_keep("Tokens", options.tokens_out, lambda path: _write_text(path, token_list(entries))))
    return outputs


def _keep(name: str, path: Path, write: Callable[[Path], object]) -> _Output:
    """Write an output to its place, or else to a new folder of the system's temporary one: it cannot be had again."""
    try:
        write(path)
        return _Output(name, path, "")
    except UserError as error:
        trouble = str(error)
    try:
        spare = Path(tempfile.mkdtemp(prefix="parley-")) / path.name  # a folder for its owner alone
        write(spare)
    except (OSError, UserError):
        return _Output(name, path, f"{trouble} Nothing could be kept elsewhere either.")
    return _Output(name, spare, f"{trouble} It is kept in {spare} instead.")


def _write_text(path: Path, text: str) -> None:
    content = text.encode("utf-8", errors="replace")  # half a character, as a model may speak it, is no reason to fail
    write_whole(path, lambda temporary: temporary.write_bytes(content))


def _report(watch: _Watch, outputs: list[_Output]) -> None:
    """The summary, on the standard output; what went wrong with the outputs, on the other."""
    ends = watch.ends
    assert watch.info is not None
    console = Console(highlight=False, soft_wrap=True, markup=False)
    records = watch.conversation.history.tail(ends.frames)
    console.print(model_line(watch.info, watch.mode))
    if note := caution(watch.info):
        console.print(note)
    for turn in watch.transcript.turns():
        console.print(f"{turn.words[0].start_s:8.2f} s  {turn.text}")
    console.print(latency_table(records))
    console.print(pace_line(records, watch.elapsed_s))
    done_s, whole_s = len(records) * FRAME / SAMPLE_RATE, ends.samples / SAMPLE_RATE
    if watch.interrupted:
        console.print(f"Interrupted after {done_s:.1f} of {whole_s:.1f} s; what was answered until then is written.")
    elif watch.failure:
        console.print(f"{watch.failure} What was answered in {done_s:.1f} of {whole_s:.1f} s is written.")
    for output in outputs:
        if output.trouble:
            Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print(output.trouble)
        else:
            console.print(f"{output.name}: {output.path}")
