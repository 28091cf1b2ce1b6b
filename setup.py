"""Puts the two things that live beside the packages into a built wheel: `config.yaml` and `assets/`.

They become `app/data/`, where `app.paths.project_file` looks when it does not run from a checkout. An editable
install copies nothing: there the checkout itself is read. All else about the build is in `pyproject.toml`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
DATA = ("config.yaml", "assets")


class BuildWithData(build_py):
    """The stock build of the packages, and then the data."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "app" / "data"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in DATA:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, target / name)
            else:
                shutil.copy2(source, target / name)


setup(cmdclass={"build_py": BuildWithData})
