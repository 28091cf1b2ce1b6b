"""The side of a conversation that any thread may call: commands in, events out, beginning and end.

Owns the two queues, the engine thread itself and what it lets others see. What the thread does is `Conversation`'s.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from app import messages as say
from app.audio import AudioEnds
from app.command_queue import CommandQueue
from app.event_queue import EventQueue
from app.messages import Command, Event, ModelInfo, Trouble
from app.transcript import Transcript


class ConversationDoors(ABC):
    """phase, info, stepping_since_ns, engine_ident and transcript are written by the engine thread and read by any."""

    def __init__(self, ends: AudioEnds, clock: Callable[[], int]) -> None:
        """clock: nanoseconds, monotonic."""
        self.phase = "idle"  # one of messages.PHASES
        self.info: ModelInfo | None = None  # what is loaded, as it was told
        self.stepping_since_ns = 0  # when the frame that the engine works on was handed to it; 0 between two frames
        self.transcript = Transcript()  # of the talk that runs or ran last
        self._ends = ends
        self._clock = clock
        self._commands = CommandQueue()
        self._events = EventQueue(clock)
        self.engine_ident: int | None = None  # of the thread that runs the engine, once it does
        self.signs_of_life = 0  # how often that thread has looked up from long work
        self._thread: threading.Thread | None = None
        self._running = False

    @abstractmethod
    def run(self) -> None:
        """Obey commands and run frames in the calling thread until Shutdown."""

    def start_thread(self) -> None:
        """Start the engine thread. A daemon: a wedged driver must not keep the program from ending."""
        assert self._thread is None, "the conversation runs already"
        self._thread = threading.Thread(target=self.run, name="engine", daemon=True)
        self._thread.start()

    def send(self, command: Command) -> None:
        """Hand over a command. Never blocks; commands are obeyed between two frames, in order.

        Only muting and the talk key do not wait their turn: they must work at once, in a long load or build too.
        """
        if self.phase == "closed":
            if not isinstance(command, say.Shutdown):
                self._emit(Trouble("closed", "The conversation has been closed; start Parley again."))
        elif isinstance(command, say.SetMuted):
            self._ends.muted = command.muted
            self._emit(say.MutedChanged(command.muted))
        elif isinstance(command, say.HoldTalkKey):
            self._ends.talk_key_held = command.held
        else:
            self._commands.put(command)

    def tell(self, event: Event) -> None:
        """Let whoever drains the events know something that others than the engine thread found out. Never blocks."""
        self._emit(event)

    def _emit(self, event: Event) -> None:
        if isinstance(event, say.TextSpoken):
            self.transcript.add(event.time_s, event.piece)
        self._events.put(event)

    def events(self) -> list[Event]:
        """What happened since the last call, oldest first. For one reader."""
        return self._events.drain()

    def close(self, timeout: float = 5.0) -> bool:
        """Shut down and wait for the engine thread, at most `timeout` seconds. False when it is still busy then."""
        if self._thread is None and not self._running:  # nobody obeyed what waits, and nobody will
            self._commands.clear()
            self.send(say.Shutdown())
            self.run()
            return True
        self.send(say.Shutdown())
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()
