"""What a file is, by its first bytes, whatever it is called."""

from __future__ import annotations

from pathlib import Path

NPZ, MAT = "an .npz archive", "a MATLAB file"
MAGIC = {
    b"PK\x03\x04": NPZ,
    b"PK\x05\x06": NPZ,
    b"\x93NUMPY": "a single array of np.save (np.savez makes an .npz)",
    b"MATLAB 7.3": "a MATLAB 7.3 file (save it with -v7)",
    b"\x89HDF": "an HDF5 file (save it with -v7; in Octave save -7)",
    b"# Created by Octave": "Octave's text (save -7)",
    b"Octave-1-": "Octave's binary (save -7)",
    b"MATLAB 5.0": MAT,
    b"\x1f\x8b": "a gzip archive",
    b"\x80\x02": "a pickle",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}


def kind(path: Path) -> str | None:
    """In a few words; None where the first bytes say nothing."""
    with path.open("rb") as file:
        head = file.read(512)
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    if head[126:128] in (b"IM", b"MI"):  # version 5 with a text of its own in front
        return MAT
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = "" if error.start < len(head) - 3 else head[: error.start].decode("utf-8-sig")
    if not text or not all(c.isprintable() or c.isspace() for c in text):
        return None
    return "JSON text" if text.lstrip().startswith(("{", "[")) else "text"
