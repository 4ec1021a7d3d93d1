"""Builds the package with the standard library alone, by the hooks of PEP 517.

kefel.py becomes the package `kefel`, because type checkers read the types of packages only
(PEP 561).
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

_FOLDER = Path(__file__).parent
_PROJECT = tomllib.loads((_FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
_RELEASE = f"{_PROJECT['name']}-{_PROJECT['version']}"
_INFO = f"{_RELEASE}.dist-info"
_SOURCES = ("pyproject.toml", "build_package.py", "kefel.py", "py.typed", "README.md", "LICENSE")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    """Writes the wheel and returns its name (the binary distribution format of PyPA)."""
    files = {
        "kefel/__init__.py": _bytes_of("kefel.py"),
        "kefel/py.typed": _bytes_of("py.typed"),
        f"{_INFO}/licenses/LICENSE": _bytes_of("LICENSE"),
        f"{_INFO}/METADATA": _metadata(),
        f"{_INFO}/WHEEL": (
            b"Wheel-Version: 1.0\nGenerator: kefel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    record = [f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items()]
    files[f"{_INFO}/RECORD"] = "".join([*record, f"{_INFO}/RECORD,,\n"]).encode()
    name = f"{_RELEASE}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None) -> str:
    """Writes the source archive and returns its name."""
    files = {path: _bytes_of(path) for path in _SOURCES} | {"PKG-INFO": _metadata()}
    name = f"{_RELEASE}.tar.gz"
    with tarfile.open(Path(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{_RELEASE}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name


def _metadata() -> bytes:
    """The core metadata of PyPA, version 2.4."""
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", _PROJECT["name"]),
        ("Version", _PROJECT["version"]),
        ("Summary", _PROJECT["description"]),
        ("Keywords", ",".join(_PROJECT["keywords"])),
        ("License-Expression", _PROJECT["license"]),
        *(("License-File", path) for path in _PROJECT["license-files"]),
        *(("Classifier", text) for text in _PROJECT["classifiers"]),
        ("Requires-Python", _PROJECT["requires-python"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n".encode() + _bytes_of(_PROJECT["readme"])


def _bytes_of(path: str) -> bytes:
    return (_FOLDER / path).read_bytes()


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
