"""Settings, Engine: model, device, precision, mode and sampling.

Owns the controls. Model, device and precision load anew at once; in a talk that is asked first, because it ends the
talk. Modes are the main window's own actions, sampling is the session's. Qt thread only.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.messages import PRECISIONS, ModelSpec, Sampling
from app.telemetry import FRAME_MS
from ui.actions import Actions
from ui.figures import format_bytes, format_clock
from ui.file_dialog import FileDialog
from ui.labels import wrapped_label
from ui.mode_radios import ModeRadios
from ui.ports import Ports
from ui.sampling_ranges import SAMPLING_NAMES, SAMPLING_RANGES
from ui.session import Session
from ui.settings_page import Page, form_row
from ui.value_slider import ValueSlider
from ui.words import marked, tr, translated

DEVICE_TEXTS = {
    "auto": marked("Automatic"),
    "cpu": marked("Processor (CPU)"),
    "cuda": marked("NVIDIA graphics card (CUDA)"),
}
PRECISION_TEXTS = {
    "auto": marked("Automatic"),
    "float32": marked("float32: exact, twice the memory"),
    "bfloat16": marked("bfloat16: half the memory"),
    "int8": marked("int8: a quarter, nearly as exact"),
    "fp8": marked("fp8: a quarter, one scale a matrix"),
    "fp8-row": marked("fp8-row: a quarter, one scale a row"),
    "int4": marked("int4: a seventh, less exact"),
}
KV_TEXTS = {
    "full": marked("as exact as the model computes"),
    "int8": marked("8 bits: half the memory or less"),
}
COMPILE_TEXTS = {
    "layers": marked("layers and steps: builds soonest"),
    "cudagraphs": marked("whole stages, with PyTorch's CUDA graphs"),
    "max-autotune": marked("whole stages, kernels by trial: builds longest"),
}
LARGEST_SEED_FIELD = 2**31 - 1


class EnginePage(Page):
    """The engine's choices."""

    def __init__(self, session: Session, ports: Ports, actions: Actions):
        super().__init__(tr("Engine"))
        self._session = session
        self._pending: ModelSpec | None = None
        self.source = QComboBox()
        self.source.setEditable(True)
        self.source.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.source.addItems(list(ports.model_sources))
        self.browse = QPushButton(tr("&Folder\N{HORIZONTAL ELLIPSIS}"))
        self.all_models = QPushButton(tr("M&odels\N{HORIZONTAL ELLIPSIS}"))
        self.all_models.setToolTip(actions.models.toolTip())
        self.all_models.clicked.connect(actions.models.trigger)
        self.device, self.precision, self.kv, self.compile = (QComboBox() for _ in range(4))
        self.facts = wrapped_label("", "small", "muted")
        self.modes = ModeRadios(actions, explain=True)
        self.sliders = {
            name: ValueSlider(label, *SAMPLING_RANGES[name].bounds(session.expert), whole=name.endswith("top_k"))
            for name, label in ((name, tr(words)) for name, words in SAMPLING_NAMES.items())
        }
        self.fresh_seed = QCheckBox(tr("A new one for each &talk"))
        self.seed = QSpinBox()
        self.seed.setRange(0, LARGEST_SEED_FIELD)
        self.expert = QCheckBox(tr("F&ull range"))
        self.expert.setToolTip(tr("Values beyond the usual ones make talks loop or fall apart"))
        self.own = QPushButton(tr("The model's o&wn values"))
        self.note = wrapped_label("", "small", "near")
        self._arrange()
        self._connect()
        self.show_spec()
        self.show_sampling()
        self._show_facts()

    def _arrange(self) -> None:
        column = self.section(tr("Model"))
        form = self.form(column)
        row = QWidget()
        inner = QHBoxLayout(row)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.source, 1)
        inner.addWidget(self.browse)
        inner.addWidget(self.all_models)
        form_row(form, tr("&Model"), row).setBuddy(self.source)
        self.source.setAccessibleName(tr("Model: mini, a folder, or a Hugging Face id"))
        form_row(form, tr("&Runs on"), self.device)
        form_row(form, tr("&Precision"), self.precision)
        form_row(form, tr("Past frames (K&V)"), self.kv)
        column.addWidget(self._question())
        column.addWidget(self.facts)
        column = self.section(tr("Mode"))
        column.addWidget(self.modes)
        form_row(self.form(column), tr("&Compiled code"), self.compile)
        column = self.section(tr("Sampling"))
        column.addWidget(self.note)
        form = self.form(column)
        for name, slider in self.sliders.items():
            form_row(form, tr(SAMPLING_NAMES[name]), slider).setBuddy(slider.field)
        form_row(form, tr("&Seed"), self._seed_row()).setBuddy(self.seed)
        self.seed.setAccessibleName(tr("Seed"))
        row_layout = QHBoxLayout()
        row_layout.addWidget(self.expert)
        row_layout.addStretch(1)
        row_layout.addWidget(self.own)
        column.addLayout(row_layout)
        self.column.addStretch(1)

    def _seed_row(self) -> QWidget:
        row = QWidget()
        inner = QHBoxLayout(row)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.seed)
        inner.addWidget(self.fresh_seed)
        inner.addStretch(1)
        return row

    def _question(self) -> QFrame:
        """Asked when a change would end the talk that runs."""
        self.question = QFrame()
        self.question.setProperty("notice", "warning")
        self.load_now = QPushButton(tr("&Load now"))
        self.keep = QPushButton(tr("&Keep the model"))
        self.keep.clicked.connect(self._keep)
        self.load_now.clicked.connect(self._load_now)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.keep)
        row.addWidget(self.load_now)
        column = QVBoxLayout(self.question)
        column.setContentsMargins(12, 8, 12, 8)
        column.addWidget(wrapped_label(tr("Loading another model or precision ends the talk that is running.")))
        column.addLayout(row)
        self.question.hide()
        return self.question

    def _connect(self) -> None:
        session = self._session
        self.source.activated.connect(self._spec_chosen)
        line = self.source.lineEdit()
        assert line is not None
        line.returnPressed.connect(self._spec_chosen)
        for box in (self.device, self.precision, self.kv, self.compile):
            box.activated.connect(self._spec_chosen)
        self.browse.clicked.connect(self._browse)
        for name, slider in self.sliders.items():
            slider.edited.connect(lambda value, name=name: self._sampled(name, value))
        self.fresh_seed.clicked.connect(self._seed_chosen)
        self.seed.setKeyboardTracking(False)
        self.seed.valueChanged.connect(self._seed_chosen)
        self.expert.clicked.connect(session.set_expert)
        self.own.clicked.connect(lambda: self._sample(Sampling(seed=session.sampling.seed)))
        session.spec_changed.connect(self.show_spec)
        session.info_changed.connect(self._show_facts)
        session.sampling_changed.connect(self.show_sampling)
        session.phase_changed.connect(self._phase)

    # ------------------------------------------------------------------ model

    def show_spec(self) -> None:
        """Show the choice that holds."""
        spec = self._session.spec
        self.source.setEditText(spec.source)
        devices = {name: tr(text) for name, text in DEVICE_TEXTS.items()}
        devices.setdefault(spec.device, spec.device)
        precisions = {name: tr(PRECISION_TEXTS[name]) if name in PRECISION_TEXTS else name for name in PRECISIONS}
        precisions.setdefault(spec.precision, spec.precision)
        kept = {name: tr(text) for name, text in KV_TEXTS.items()}
        for box, texts, chosen in (
            (self.device, devices, spec.device),
            (self.precision, precisions, spec.precision),
            (self.kv, kept, spec.kv),
            (self.compile, {name: tr(text) for name, text in COMPILE_TEXTS.items()}, spec.compile),
        ):
            box.clear()
            for value, text in texts.items():
                box.addItem(text, value)
            box.setCurrentIndex(box.findData(chosen))

    def _chosen_spec(self) -> ModelSpec:
        return replace(
            self._session.spec,
            source=self.source.currentText().strip(),
            device=self.device.currentData(),
            precision=self.precision.currentData(),
            kv=self.kv.currentData(),
            compile=self.compile.currentData(),
        )

    def _spec_chosen(self) -> None:
        spec = self._chosen_spec()
        self.say("")
        if spec == self._session.spec:
            self._keep()
        elif self._session.talking:
            self._pending = spec
            self.question.show()
        else:
            self._session.set_spec(spec)

    def _load_now(self) -> None:
        spec, self._pending = self._pending, None
        self.question.hide()
        if spec is not None:
            self._session.set_spec(spec)

    def _keep(self) -> None:
        self._pending = None
        self.question.hide()
        self.show_spec()

    def _phase(self, _phase: str) -> None:
        if self._pending is not None and not self._session.talking:
            self._load_now()  # the talk that stood in the way has ended

    def _browse(self) -> None:
        """A folder by the system's dialog, which does not hold up the rest of the window."""
        dialog = FileDialog(self, tr("Choose a model folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.open()

    def choose_folder(self, folder: str) -> None:
        self.source.setEditText(folder)
        self._spec_chosen()

    def _show_facts(self) -> None:
        info = self._session.info
        if info is None:
            self.facts.setText(tr("mini, a folder, or a Hugging Face id such as kyutai/moshiko-pytorch-bf16."))
            return
        memory = format_clock(info.context_frames * FRAME_MS / 1000)
        words = tr("{model} on {device} in {precision}: weights {weights}, state of a talk {state}, remembers {time}.")
        said = words.format(
            model=translated(info.name),
            device=info.device_name,
            precision=info.precision,
            weights=format_bytes(info.weights_bytes),
            state=format_bytes(info.state_bytes),
            time=memory,
        )
        why = translated(info.precision_reason)
        said += tr(" Precision {reason}").format(reason=why) if why else ""
        self.facts.setText(f"{said} {translated(info.agreement)}".rstrip())

    # ------------------------------------------------------------------ sampling

    def show_sampling(self) -> None:
        """Show what the engine holds, or, before there is one, what was chosen."""
        session = self._session
        held = session.engine_sampling or (session.info.sampling if session.info else None)
        self.expert.setChecked(session.expert)
        for name, slider in self.sliders.items():
            slider.set_bounds(*SAMPLING_RANGES[name].bounds(session.expert))
            chosen = getattr(session.sampling, name)
            value = chosen if chosen is not None else getattr(held, name, None)
            slider.setEnabled(value is not None)
            if value is not None:
                slider.set_value(value, tr("model's own") if chosen is None else tr("chosen"))
            else:
                slider.note.setText(tr("model's own"))
        fresh = session.sampling.seed is None
        self.fresh_seed.setChecked(fresh)
        self.seed.setEnabled(not fresh)
        self.seed.blockSignals(True)
        self.seed.setValue(min(session.sampling.seed or 0, LARGEST_SEED_FIELD))
        self.seed.blockSignals(False)
        self.note.setText(translated(session.sampling_note))
        self.note.setVisible(bool(session.sampling_note))

    def _sampled(self, name: str, value: float) -> None:
        chosen = round(value) if name.endswith("top_k") else value
        self._sample(replace(self._session.sampling, **{name: chosen}))  # type: ignore[arg-type]

    def _seed_chosen(self) -> None:
        seed = None if self.fresh_seed.isChecked() else self.seed.value()
        self._sample(replace(self._session.sampling, seed=seed))

    def _sample(self, sampling: Sampling) -> None:
        self.say("")
        self._session.set_sampling(sampling)
