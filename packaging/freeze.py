"""Builds the packaged program, a folder that runs where no Python is installed, for the system that it runs on.

    python packaging/freeze.py                build it in build/frozen/parley
    python packaging/freeze.py --check        build it, then try what was built (packaging/try_frozen.py)
    python packaging/freeze.py --deb          build it, and a .deb of it (Linux with dpkg-deb)
    python packaging/freeze.py --no-build ... the same with what was built before

It needs an environment with Parley's packages and PyInstaller: `pip install -e ".[freeze]"`. --cuda builds with the
CUDA libraries of that environment's PyTorch, which stay out otherwise; --output FOLDER puts everything elsewhere.
"""

from __future__ import annotations

import argparse
import os
import plistlib
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import frozen_parts as parts
import program_icons

PROJECT = Path(__file__).resolve().parent.parent
SPEC = PROJECT / "packaging" / "parley.spec"
PAPERS = ("LICENSE", "NOTICE", "README.md")


class FreezeError(Exception):
    """One sentence for whoever builds."""


def say(text: str) -> None:
    print("freeze: " + text, flush=True)


def make_parts(folder: Path) -> None:
    """What the recipe reads beside the project: icons, and what Windows and macOS want to know."""
    number = parts.version(PROJECT)
    program_icons.write(PROJECT / "assets" / "icons" / "parley.svg", folder)
    (folder / "version.txt").write_text(parts.windows_version(number), encoding="utf-8")
    (folder / "entitlements.plist").write_bytes(plistlib.dumps(parts.entitlements()))


def require_environment(cuda: bool) -> None:
    """Raises FreezeError where the environment cannot serve."""
    missing = [name for name in ("PyInstaller", "torch", "PySide6", "sounddevice") if find_spec(name) is None]
    if missing:
        command = f'{sys.executable} -m pip install -e ".[freeze]"'
        raise FreezeError(f"This environment lacks {', '.join(missing)}: run {command} in the project's folder.")
    done = subprocess.run([sys.executable, "-c", "import torch; print(torch.version.cuda or '')"],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        raise FreezeError("This environment's PyTorch does not load: run packaging/launch.py setup.")
    refusal = parts.cuda_refusal(done.stdout.strip() or None, cuda)
    if refusal:
        raise FreezeError(refusal)


def build(output: Path) -> Path:
    """Run PyInstaller; returns the program's folder. Its many lines go to a file that is named when it fails."""
    made, log = output / "made", output / "pyinstaller.log"
    shutil.rmtree(made, ignore_errors=True)
    make_parts(made)
    command = [
        sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "INFO",
        "--distpath", str(output), "--workpath", str(output / "work"), str(SPEC),
    ]  # fmt: skip
    environment = dict(os.environ, PARLEY_FREEZE=str(made), PYTHONWARNINGS="ignore")
    environment.pop("PYTHONPATH", None)
    say(f"building, which takes minutes; what PyInstaller says goes to {log}")
    with log.open("w", encoding="utf-8") as file:
        code = subprocess.call(command, cwd=str(PROJECT), env=environment, stdout=file, stderr=subprocess.STDOUT)
    if code:
        raise FreezeError(f"PyInstaller failed; the reason is at the end of {log}.")
    folder = output / parts.NAME
    if sys.platform.startswith("linux"):
        strip(folder / "_internal")
    for name in PAPERS:
        shutil.copy2(PROJECT / name, folder / name)
    shutil.copy2(made / "THIRD-PARTY-NOTICES.txt", folder)
    if sys.platform.startswith("linux"):
        (folder / f"{parts.NAME}.desktop").write_text(parts.desktop_entry(), encoding="utf-8")
        shutil.copy2(made / "parley-256.png", folder / f"{parts.NAME}.png")
    return folder


def strip(inner: Path) -> None:
    """Take the tables of names out of the largest libraries; they are used as they are where there is no `strip`."""
    tool = shutil.which("strip")
    for path in [path for pattern in parts.STRIPPED for path in inner.glob(pattern)] if tool else []:
        subprocess.run([str(tool), "--strip-unneeded", str(path)], check=True)


def size_mb(folder: Path) -> int:
    """Megabytes (10^6 bytes) of the files, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) // 10**6


def debian(folder: Path, output: Path) -> Path:
    """The .deb of what was built. Raises FreezeError where it cannot be made."""
    import debian_package

    if shutil.which("dpkg-deb") is None:
        raise FreezeError("--deb needs dpkg-deb, which Debian-like systems have; the folder itself is complete.")
    try:
        return debian_package.package(folder, output / "made", output, parts.version(PROJECT))
    except (LookupError, OSError, subprocess.CalledProcessError) as problem:
        raise FreezeError(f"The .deb could not be made: {problem}") from problem


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=PROJECT / "build" / "frozen", metavar="FOLDER")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--deb", action="store_true")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    output = options.output.resolve()
    folder = output / parts.NAME
    try:
        if options.no_build:
            if not folder.is_dir():
                raise FreezeError(f"There is nothing in {folder} yet: leave --no-build out.")
        else:
            require_environment(options.cuda)
            output.mkdir(parents=True, exist_ok=True)
            build(output)
            say(f"built {folder}, {size_mb(folder)} MB")
        if options.deb:
            say(f"built {debian(folder, output)}")
        if options.check:
            import try_frozen

            return try_frozen.main([str(folder)])
    except FreezeError as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
