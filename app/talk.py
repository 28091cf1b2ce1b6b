"""A talk without a window: a recording in, the model's reply, its words and its tokens out.

Owns the order of a headless run and its exit status. The talk itself is the same `Conversation` as in the window, with
`WavAudio` as its ends, in its own thread; the calling thread watches, shows progress and hears Ctrl-C, so that no frame
is ever cut in half. Outputs are checked before the work and written whole after it; what cannot be written to its place
then, because a folder went away or a disk filled up meanwhile, is kept elsewhere.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

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
from app.recogniser import NoRecogniserError, Recogniser, start_recogniser
from app.recording import RecordingReader, write_pieces
from app.ring import FRAME, SAMPLE_RATE
from app.sound_spool import SoundSpool
from app.talk_options import TalkOptions
from app.talk_outputs import Output, check_outputs, keep
from app.talk_report import TalkFrames, caution, latency_table, model_line, pace_line, token_list
from app.talk_words import write_down
from app.telemetry import FrameHistory
from app.text_files import write_now
from app.transcript import USER, Transcript
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
    recogniser: Callable[[str], Recogniser] = start_recogniser,
) -> int:
    """Run the talk that `options` asks for. Returns the exit status; raises UserError when nothing could be done.

    0: done. 1: the engine failed on the way, or an output is not where it was to be. 130: Ctrl-C, or ended by a signal.
    In the last two cases what was answered until then has been written, and the terminal says so. engine_busy: called
    with the exit status, as the last thing, when the engine thread could not be stopped. recogniser: starts
    what writes down the recording's words, with a folder of its model or "".
    """
    check_outputs(options)
    frames = TalkFrames(options.tokens_out is not None)
    with Interrupts() as interrupts:
        ends, wrong = _read(options, interrupts)
        conversation = Conversation(
            ends,
            voices=voices or VoiceFolder(user_voice_folder(), user_cache_folder()),
            load_engine=load_engine,
            thread_context=thread_context,
            history=FrameHistory(ends.frames),
            on_answer=lambda answer, sound: frames.add(answer),
            begins_anew=False,
        )
        watch = _Watch(conversation, options, ends, interrupts, recogniser)
        watch.wrong_with_input = wrong
        try:
            return _run(conversation, watch, frames, sleep, engine_busy)
        except KeyboardInterrupt:  # the third signal
            if not watch.ended:
                engine_busy(INTERRUPTED)
            raise


def _run(
    conversation: Conversation,
    watch: _Watch,
    frames: TalkFrames,
    sleep: Callable[[float], None],
    engine_busy: Callable[[int], object],
) -> int:
    with kept_log() as kept:
        reports = CrashReports.of_a_talk(
            lambda: model_lines(conversation), lambda: tuple(kept.lines), conversation.history.tail
        )
        if said := reports.of_the_last_run(kept.crash):
            watch.note(said)
        conversation.on_failure = lambda error, attempt: reports.write(error, f"parley talk ({attempt})")
        watch.run(sleep)
    status = _finish(watch, frames)
    if not watch.ended:
        engine_busy(status)
    return status


def _read(options: TalkOptions, interrupts: Interrupts) -> tuple[WavAudio, str]:
    """The recording, checked to its last sample before anything is loaded, and kept out of memory if it is long. With
    what is wrong with it, which is said at once, and in the report, since the model answers what it heard. Raises
    KeyboardInterrupt between two blocks, where nothing is printed for it."""
    reader, kept = RecordingReader(options.input), SoundSpool(options.output.parent)
    for block in reader.blocks():
        if interrupts.count:
            raise KeyboardInterrupt
        kept.put(block)
    if reader.note:
        Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print(f"Note: {reader.note}")
    ends = WavAudio(kept, lead_silence_s=options.lead_silence, realtime=options.realtime, folder=options.output.parent)
    return ends, reader.note


def _finish(watch: _Watch, frames: TalkFrames) -> int:
    if not frames.count:
        return _nothing_done(watch)
    watch.write_down_user(min(watch.ends.samples, frames.count * FRAME))
    outputs = _write(watch, frames)
    _report(watch, outputs)
    failed = watch.failure or any(output.trouble for output in outputs)
    return INTERRUPTED if watch.interrupted or watch.interrupts.count else FAILED if failed else 0


class _Watch:
    """Follows the conversation's events until the talk is over, in the calling thread."""

    def __init__(
        self,
        conversation: Conversation,
        options: TalkOptions,
        ends: WavAudio,
        interrupts: Interrupts,
        recogniser: Callable[[str], Recogniser],
    ) -> None:
        self.info: ModelInfo | None = None
        self.mode = ""
        self.transcript = Transcript()
        self.wrong_with_input = ""
        self.failure = ""  # the sentence, when the engine or the start failed
        self.interrupted = False
        self.ended = False  # the engine thread
        self.elapsed_s = 0.0
        self.conversation = conversation
        self.options = options
        self.ends = ends
        self.interrupts = interrupts
        self._recogniser = recogniser
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

    def write_down_user(self, samples: int) -> None:
        """What the first samples of the recording say, into the transcript, where one is wanted and a recogniser is
        there. Only after the talk: an interrupted one ends at once, and with it the writing down."""
        options = self.options
        if options.transcript is None or not options.user_words or self.interrupts.count:
            return
        try:
            recogniser = self._recogniser(options.recogniser_model)
            try:
                with self._progress:
                    for words in write_down(self.ends.heard_pieces(samples), recogniser, self._goes_on):
                        self.transcript.add_user(words)
            finally:
                recogniser.close()
        except NoRecogniserError:
            pass  # none is installed, which is no trouble
        except UserError as error:
            self.note(str(error))

    def note(self, sentence: str) -> None:
        self._console.print(f"Note: {sentence}")

    def _goes_on(self, start_s: float) -> bool:
        self._show("writing down what was said", round(start_s * SAMPLE_RATE), self.ends.samples)
        if self.interrupts.count:
            self.note(f"what the recording says from {start_s:.1f} s on is not written down.")
        return not self.interrupts.count

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
            self.note(note)
        self.conversation.send(StartTalk(self.options.persona))

    def _trouble(self, trouble: say.Trouble) -> None:
        if trouble.fatal or trouble.kind in ("voice", "start", "sound"):
            self.failure = trouble.sentence
            self._over = True
        elif trouble.kind == "sampling":  # told before the model is ready: a wish by name is granted or refused
            self.failure = trouble.sentence
        elif (trouble.kind != "mode" or self._started) and (trouble.kind not in _PACE_KINDS or self.options.realtime):
            self.note(trouble.sentence)

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


def _write(watch: _Watch, frames: TalkFrames) -> list[Output]:
    options, ends = watch.options, watch.ends
    samples = min(ends.samples, frames.count * FRAME)  # fewer than all only when the talk was cut short

    def write_reply(path: Path) -> None:
        reply = ends.answer_pieces(samples)
        pieces = zip(ends.heard_pieces(samples), reply, strict=True) if options.stereo else zip(reply, strict=True)
        write_pieces(path, 2 if options.stereo else 1, pieces)

    outputs = [keep("Reply", options.output, write_reply)]
    if options.transcript is not None:
        assert watch.info is not None
        made = watch.transcript.to_json(watch.info.name, samples / SAMPLE_RATE)
        words = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        outputs.append(keep("Transcript", options.transcript, lambda path: write_now(path, words)))
    if options.tokens_out is not None:
        outputs.append(keep("Tokens", options.tokens_out, lambda path: write_now(path, token_list(frames.lines))))
    return outputs


def _report(watch: _Watch, outputs: list[Output]) -> None:
    """The summary, on the standard output; what went wrong with the outputs, on the other."""
    ends = watch.ends
    assert watch.info is not None
    console = Console(highlight=False, soft_wrap=True, markup=False)
    records = watch.conversation.history.tail(ends.frames)
    console.print(model_line(watch.info, watch.mode))
    if watch.wrong_with_input:
        console.print(watch.wrong_with_input)
    for turn in watch.transcript.turns():
        who = "You: " if turn.speaker == USER else ""
        console.print(f"{turn.words[0].start_s:8.2f} s  {who}{turn.text}")
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
