"""Where a model lies on disk."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from .adapter import Adapter
from .samples import samples


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that is there, though not yet read.

    Attributes:
        path: a folder with config.json, *.safetensors and tokenizer.json, or a .gguf file.
        reference: what the user called it, for messages and statistics.
        is_starter: whether it is the small model to try the tool with.
        adapter: what changes its weights when it is loaded.
    """

    path: Path
    reference: str
    is_starter: bool = False
    adapter: Adapter | None = None

    @property
    def is_gguf(self) -> bool:
        """Whether the model is a single GGUF file."""
        return self.path.is_file()

    @property
    def identity(self) -> str:
        """A cheap key of the content, for caches: path, and size and change time of each file."""
        files = [self.path]
        if not self.is_gguf:
            files = [self.path / "config.json", *sorted(self.path.glob("*.safetensors"))]
        stats = [(file.name, file.stat()) for file in files]
        parts = [f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in stats]
        if self.adapter is not None:
            parts.append(f"adapter:{self.adapter.form.name}:{self.adapter.digest}")
        return "|".join([str(self.path.resolve()), *parts])

    def weights_digest(self) -> str:
        """A SHA-256 over samples of each weight file, the same wherever the files lie."""
        digest = hashlib.sha256(self.adapter.digest.encode() if self.adapter else b"")
        for path in [self.path] if self.is_gguf else sorted(self.path.glob("*.safetensors")):
            digest.update(f"{'' if self.is_gguf else path.name}:".encode())
            for sample in samples(path):
                digest.update(sample)
        return digest.hexdigest()
