"""Makes a .deb of the packaged program: /opt/parley, a command in /usr/bin, a menu entry and icons.

Called by freeze.py (--deb) on a Debian-like system; needs dpkg-deb. What the package depends on is read from its own
files: every library that they are linked with and that is not among them, by the package that has it here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import elf
import frozen_parts as parts
import notices
import system_libraries

PLACE = Path("opt") / parts.NAME
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Debian and Ubuntu renamed packages when times grew to 64 bits; both names serve.
RENAMED = ("libasound2", "libglib2.0-0")
# Libraries of Qt's plugins that need not be on the computer that builds; the rest is in system_libraries.py.
OF_PLUGINS = {
    "libwayland-egl.so.1": "libwayland-egl1",
    "libwayland-client.so.0": "libwayland-client0",
    "libxcb.so.1": "libxcb1",
    "libX11.so.6": "libx11-6",
}
# Not linked with, but wanted: the way to the desktop's sound server.
RECOMMENDED = ("libasound2-plugins | pipewire-alsa",)
ALWAYS = ("libegl1", "libgl1", "xkb-data")  # Qt opens these by name; the keyboard library reads the last one
PART_OF_LIBC = re.compile(r"(libc|libm|libpthread|libdl|librt|libutil|libmvec|ld-linux[-\w]*)\.so\.")


def package(folder: Path, made: Path, output: Path, version: str) -> Path:
    """folder: the built program; made: icons; output: where the .deb goes. Returns its path."""
    architecture = ARCHITECTURES.get(os.uname().machine, os.uname().machine)
    root = made / "deb"
    shutil.rmtree(root, ignore_errors=True)
    lay_out(folder, made, root)
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    size_kb = sum(path.lstat().st_size for path in root.rglob("*") if not path.is_dir()) // 1024
    control.write_text(control_text(version, architecture, size_kb, dependencies(folder)), encoding="utf-8")
    target = output / f"{parts.NAME}_{version}_{architecture}.deb"
    # zstd: Debian 12 and Ubuntu 22.04 read it, and older ones lack the C library anyway. xz took over ten minutes.
    command = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", str(root), str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    return target


def lay_out(folder: Path, made: Path, root: Path) -> None:
    """The files as they will lie from / on. The program's own are linked rather than copied where that is possible."""
    shutil.copytree(folder, root / PLACE, symlinks=True, copy_function=link_or_copy)
    command = root / "usr" / "bin" / parts.NAME
    command.parent.mkdir(parents=True)
    command.symlink_to(Path("../..") / PLACE / parts.NAME)
    share = root / "usr" / "share"
    for size in (48, 128, 256):
        icon = share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / f"{parts.NAME}.png"
        icon.parent.mkdir(parents=True)
        shutil.copy2(made / f"parley-{size}.png", icon)
    drawing = share / "icons" / "hicolor" / "scalable" / "apps" / f"{parts.NAME}.svg"
    drawing.parent.mkdir(parents=True)
    shutil.copy2(folder / "_internal" / "assets" / "icons" / "parley.svg", drawing)
    entry = share / "applications" / f"{parts.NAME}.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text(parts.desktop_entry(), encoding="utf-8")
    papers = share / "doc" / parts.NAME
    papers.mkdir(parents=True)
    text = "\n\n".join((folder / name).read_text("utf-8") for name in ("LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt"))
    (papers / "copyright").write_text(text, encoding="utf-8")
    for path in [root, *root.rglob("*")]:
        if path.is_symlink():
            continue
        if path.is_dir():
            path.chmod(0o755)
        else:  # what was private where it was built, such as a model that was written there, is everybody's here
            runs = path.stat().st_mode & 0o100
            path.chmod(0o755 if runs else 0o644)


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def control_text(version: str, architecture: str, size_kb: int, depends: list[str]) -> str:
    return "\n".join(
        (
            f"Package: {parts.NAME}",
            f"Version: {version}",
            "Section: sound",
            "Priority: optional",
            f"Architecture: {architecture}",
            f"Maintainer: {parts.MAKER} <maintainers@parley.invalid>",
            f"Installed-Size: {size_kb}",
            f"Depends: {', '.join(depends)}",
            f"Recommends: {', '.join(RECOMMENDED)}",
            f"Description: {parts.SUMMARY}",
            " Parley listens while it speaks and may be interrupted. It shows what every 80 ms frame costs, and comes",
            " with a small model; Moshi and PersonaPlex checkpoints can be added.",
            "",
        )
    )


def dependencies(folder: Path) -> list[str]:
    """Packages with the libraries that the program's files need and do not bring. Raises LookupError, with a sentence,
    for a library whose package is not known."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and elf.is_elf(path)]
    own = {path.name for path in folder.rglob("*")}
    wanted = set().union(*(elf.needed(path) for path in files)) - own
    glibc = max((elf.newest_glibc(path) for path in files), default=())
    packages = {owner(name) for name in wanted if not PART_OF_LIBC.match(name)}
    packages = {f"{name} | {name}t64" if name in RENAMED else name for name in packages | set(ALWAYS)}
    return [f"libc6 (>= {'.'.join(map(str, glibc))})", *sorted(packages)]


def owner(library: str) -> str:
    """The package with a library of that name: the one that is installed here, else the one that it usually is in."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    path = next((line.rsplit("=> ", 1)[1] for line in listed.splitlines() if line.split(" ")[0].strip() == library), "")
    known = {**OF_PLUGINS, **{entry.name: entry.packages.split()[0] for entry in system_libraries.LIBRARIES}}
    found = [*(notices.owning_packages(path) if path else []), *([known[library]] if library in known else [])]
    if not found:
        raise LookupError(f"No package is known to have {library}, which the program needs: install it and try again.")
    return found[0]


if __name__ == "__main__":
    sys.exit("Run packaging/freeze.py --deb.")
