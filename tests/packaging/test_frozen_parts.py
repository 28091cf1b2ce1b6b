"""What goes into the packaged program, without building it (packaging/freeze.py --check builds and tries it)."""

from __future__ import annotations

import ast
import configparser
import plistlib
import re
import struct
import subprocess
import sys
from importlib import metadata as installed
from pathlib import Path

import debian_package
import elf
import freeze
import frozen_parts as parts
import notices
import program_icons
import pytest
import start_frozen

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "packaging" / "parley.spec"
ICON = ROOT / "assets" / "icons" / "parley.svg"


def test_every_file_that_the_program_reads_goes_along() -> None:
    """config.yaml, and all of assets but the README's pictures; the window's marks and compiled translations."""
    rows = [(Path(source), target) for source, target in parts.data_files(ROOT)]
    wanted = [path for path in (ROOT / "ui").rglob("*") if path.suffix in (".svg", ".qm", ".png", ".qss")]
    wanted += [path for path in (ROOT / "assets").rglob("*") if path.is_file() and parts.PICTURES not in path.parts]
    wanted.append(ROOT / "config.yaml")
    for path in wanted:
        takers = [row for row in rows if path.match(str(row[0])) or row[0] in path.parents]
        assert len(takers) == 1, path
        source, target = takers[0]
        place = Path(target, path.relative_to(source) if source in path.parents else path.name)
        assert ROOT / place == path, "found at run time under the same name as in a checkout"


def test_what_the_program_imports_is_not_left_out() -> None:
    wanted = set()
    for room in ("app", "engine", "ui"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    wanted |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    wanted |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    left_out = {name for name in wanted for out in parts.LEFT_OUT_MODULES if name == out or name.startswith(out + ".")}
    assert {name.split(".")[0] for name in left_out} == {"triton", "faster_whisper"}, left_out
    assert {"PySide6.QtWidgets", "torch", "huggingface_hub"} <= wanted


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("torch/lib/libtorch_cpu.so", True),
        ("torch/bin/torch_shm_manager", True),
        ("torch/bin/test_api", False),
        ("torch/include/c10/core/Device.h", False),
        ("torch\\include\\c10\\core\\Device.h", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.so", True),
        ("PySide6/Qt/lib/libQt6Widgets.so.6", True),
        ("PySide6/Qt/lib/libQt6Qml.so.6", False),
        ("PySide6/Qt/lib/libQt6WebEngineCore.so.6", False),
        ("PySide6/Qt/lib/libQt63DCore.so.6", False),
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/Qt/translations/qtbase_fr.qm", False),
        ("PySide6/Qt/translations/qt_help_de.qm", False),
        ("ui/translations/parley_de.qm", True),
        ("scipy/signal/tests/data.npz", False),
        ("libportaudio.so.2", True),
        ("_soundfile_data/libsndfile_x86_64.so", True),
        ("libasound.so.2", False),
        ("libstdc++.so.6", False),
        ("parley-0.1.0.dist-info/direct_url.json", False),
    ],
)
def test_what_is_kept(name: str, kept: bool) -> None:
    assert parts.belongs(name, linux=True) is kept


def test_the_systems_own_libraries_are_left_out_on_linux_only() -> None:
    assert parts.belongs("libz.so.1", linux=False)
    assert not parts.belongs("libz.so.1", linux=True)


def test_a_library_goes_when_what_needed_it_has_gone() -> None:
    needs = {
        "PySide6/QtGui.so": {"libxkb.so.0", "libc.so.6"},
        "libxkb.so.0": {"libffi.so.8"},
        "libffi.so.8": set(),
        "libpango.so.0": {"libcairo.so.2"},
        "libcairo.so.2": set(),
        "libportaudio.so.2": {"libjack.so.0"},
        "libjack.so.0": set(),
    }
    optional = {name for name in needs if "/" not in name}
    gone = {"libpango.so.0", "libcairo.so.2"}
    assert parts.still_needed(needs, optional) == set(needs) - gone


def test_cuda_comes_only_when_asked_for() -> None:
    assert parts.cuda_refusal(None, wanted=False) == ""
    assert parts.cuda_refusal("13.0", wanted=True) == ""
    assert "add --cuda" in parts.cuda_refusal("13.0", wanted=False)
    assert "CPU build" in parts.cuda_refusal(None, wanted=True)


def test_languages_are_the_windows() -> None:
    from ui.language import LANGUAGES

    assert {"en", *parts.LANGUAGES} == set(LANGUAGES)


def test_version_is_the_projects() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{parts.version(ROOT)}"' in project


# ---------------------------------------------------------------- what systems want to know


def test_macos_asks_for_the_microphone_in_words() -> None:
    plist = parts.info_plist("0.1.0")
    assert "Parley" in str(plist["NSMicrophoneUsageDescription"])
    assert plistlib.loads(plistlib.dumps(plist)) == plist
    assert parts.entitlements()["com.apple.security.device.audio-input"] is True


def test_windows_version_is_a_resource_that_pyinstaller_reads() -> None:
    text = parts.windows_version("1.2.3rc4")
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert text.count("(1, 2, 3, 4)") == 2
    assert "StringStruct('ProductName', 'Parley')" in text
    assert len(re.findall(r"StringStruct", text)) == 8


def test_the_menu_entry_is_one() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read_string(parts.desktop_entry("/opt/parley/parley"))
    values = dict(entry["Desktop Entry"])
    assert values["Exec"] == "/opt/parley/parley"
    assert values["Type"] == "Application"
    assert values["Terminal"] == "false"
    assert values["Categories"].endswith(";")
    source = (ROOT / "ui" / "app.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{values["Icon"]}")' in source, "or the window has no icon under Wayland"


def test_icons_hold_whole_pictures(tmp_path: Path) -> None:
    program_icons.write(ICON, tmp_path)
    ico = (tmp_path / "parley.ico").read_bytes()
    _, kind, count = struct.unpack_from("<HHH", ico)
    assert (kind, count) == (1, len(program_icons.ICO_SIZES))
    for number in range(count):
        *_, length, offset = struct.unpack_from("<BBBBHHII", ico, 6 + 16 * number)
        assert ico[offset : offset + 8] == b"\x89PNG\r\n\x1a\n"
        assert ico[offset : offset + length].endswith(b"IEND\xaeB`\x82")
    icns = (tmp_path / "parley.icns").read_bytes()
    assert struct.unpack_from(">I", icns, 4)[0] == len(icns)
    png = (tmp_path / "parley-256.png").read_bytes()
    assert struct.unpack_from(">II", png, 16) == (256, 256)
    assert len(png) > 2000, "drawn, not empty"


# ---------------------------------------------------------------- notices, package, start


def test_notices_name_each_package_with_its_licence() -> None:
    site = Path(str(installed.distribution("numpy").locate_file("")))
    sources = [str(site / "_soundfile_data" / "libsndfile_x86_64.so"), str(site / "yaml" / "_yaml.so")]
    packages = notices.distributions(["numpy.core", "PySide6.QtCore", "json", "app.cli"], sources)
    names = [notices.normal(package.metadata["Name"]) for package in packages]
    assert names == ["numpy", "pyside6-essentials", "pyyaml", "soundfile"]
    text = notices.text(packages, [])
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text
    assert "Copyright (c) 2005" in text, "numpy's own licence"
    for package in packages:
        assert f"{package.metadata['Name']} {package.version}\n" in text


def test_metadata_names_no_folder(tmp_path: Path) -> None:
    rows = notices.metadata([installed.distribution("rich")], tmp_path, "9.9.9")
    assert {Path(target).parent.name for target, _, _ in rows} == {
        "parley-9.9.9.dist-info",
        f"rich-{installed.version('rich')}.dist-info",
    }
    for _, source, _ in rows:
        assert len(Path(source).read_text(encoding="utf-8").splitlines()) == 3


def test_every_wheel_without_a_licences_text_gets_one() -> None:
    wanted = {name for names in notices.WITHOUT_TEXT.values() for name in names}
    assert wanted == {path.stem for path in notices.LICENCES.glob("*.txt")}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an ELF file")
def test_needed_libraries_are_read_from_the_file() -> None:
    import _ctypes

    path = Path(_ctypes.__file__)
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
    needed = elf.needed(path)
    assert needed
    assert all(name in listed for name in needed)
    assert elf.needed(SPEC) == set()
    assert elf.newest_glibc(path) >= (2, 2)


def test_what_a_debian_package_holds_can_be_read_by_everybody(tmp_path: Path) -> None:
    folder, made = tmp_path / "parley", tmp_path / "made"
    drawing = folder / "_internal" / "assets" / "icons" / "parley.svg"
    drawing.parent.mkdir(parents=True)
    for name in ("LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt", "model.safetensors"):
        (folder / name).write_text("words")
    drawing.write_text("<svg/>")
    (folder / "model.safetensors").chmod(0o600)
    (folder / "parley").touch(0o700)
    made.mkdir()
    for size in (48, 128, 256):
        (made / f"parley-{size}.png").touch()
    debian_package.lay_out(folder, made, tmp_path / "root")
    place = tmp_path / "root" / "opt" / "parley"
    assert (place / "model.safetensors").stat().st_mode & 0o777 == 0o644
    assert (place / "parley").stat().st_mode & 0o777 == 0o755
    assert place.stat().st_mode & 0o777 == 0o755


def test_debian_control_is_complete() -> None:
    text = debian_package.control_text("0.1.0", "amd64", 700_000, ["libc6 (>= 2.34)", "libgl1"])
    fields = dict(re.findall(r"^([\w-]+): (.+)$", text, re.M))
    assert {"Package", "Version", "Architecture", "Maintainer", "Depends", "Description"} <= set(fields)
    assert fields["Installed-Size"] == "700000"
    assert all(line.startswith(" ") for line in text.split("Description:")[1].splitlines()[1:])


def test_the_recipe_names_what_exists() -> None:
    """The recipe runs only within PyInstaller; what it takes from here must be here."""
    source = SPEC.read_text(encoding="utf-8")
    compile(source, str(SPEC), "exec")
    for module, name in re.findall(r"\b(parts|notices|elf)\.(\w+)", source):
        assert hasattr({"parts": parts, "notices": notices, "elf": elf}[module], name), f"{module}.{name}"
    for name in re.findall(r'"([\w]+\.py)"', source):
        assert (SPEC.parent / name).is_file()


def test_building_needs_pyinstaller_and_says_so(capsys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(freeze, "find_spec", lambda name: None if name == "PyInstaller" else object())
    assert freeze.main(["--output", str(tmp_path)]) == 2
    assert "lacks PyInstaller: run" in capsys.readouterr().err
    assert freeze.main(["--no-build", "--check", "--output", str(tmp_path)]) == 2
    assert "leave --no-build out" in capsys.readouterr().err


def test_children_get_the_library_path_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_frozen.os, "environ", {"LD_LIBRARY_PATH": "/in/here", "LD_LIBRARY_PATH_ORIG": "/before"})
    start_frozen.give_back_library_paths()
    assert start_frozen.os.environ == {"LD_LIBRARY_PATH": "/before"}
    monkeypatch.setattr(start_frozen.os, "environ", {"LD_LIBRARY_PATH": "/in/here"})
    start_frozen.give_back_library_paths()
    assert start_frozen.os.environ == {"LD_LIBRARY_PATH": "/in/here"}, "not packaged: nobody changed it"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    start_frozen.give_back_library_paths()
    assert start_frozen.os.environ == {}


def test_libraries_of_the_program_are_found_before_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import ctypes.util

    for name in ("libportaudio.so.2", "libportaudiocpp.so.0"):
        (tmp_path / name).touch()
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"the system's {name}")
    start_frozen.find_own_libraries_first(str(tmp_path))
    assert ctypes.util.find_library("portaudio") == str(tmp_path / "libportaudio.so.2")
    assert ctypes.util.find_library("c") == "the system's c"


def test_the_packaged_program_names_no_installer() -> None:
    """Nothing can be installed into it, so that no sentence of the doctor says so."""
    code = (
        "import sys; sys.frozen = True\n"
        "from app import checks, graphics_card\n"
        "findings = checks.check_packages(['no_such_package']) + checks.check_torch(checks.Torch(error='gone'), [])\n"
        "card = graphics_card.Card(0, '', 'RTX', '560', 1, 1, (8, 9))\n"
        "findings += checks.check_torch(checks.Torch(version='2.13'), [card])\n"
        "print('\\n'.join(finding.remedy for finding in findings if finding.remedy))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    remedies = done.stdout.splitlines()
    assert remedies[:2] == ["install Parley again"] * 2, done.stderr
    assert "a package of Parley that was built for NVIDIA cards" in remedies[2]
    assert not re.search(r"pip|launch\.py", done.stdout)
