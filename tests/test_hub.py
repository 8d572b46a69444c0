"""Hub ids: fetched once over HTTP, then used without the network; every refusal in two lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlxjson.errors import ModelError
from mlxjson.model import load_network, load_tokenizer, resolve

from .tiny_hub import COMMIT, TinyHub, serving
from .tiny_model import make_tiny_model

pytestmark = pytest.mark.filterwarnings("ignore:.*HF_TOKEN.*", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_tiny_model(tmp_path_factory.mktemp("hub") / "tiny")
    (folder / "pytorch_model.bin").write_bytes(b"weights of another framework")
    (folder / "modeling_tiny.py").write_text("raise SystemExit('never run me')")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")
    return folder


@pytest.fixture
def hub(folder: Path) -> Iterator[TinyHub]:
    with serving(TinyHub({"org/tiny": folder}, gated={"org/gated"})) as hub:
        yield hub


@pytest.fixture
def environ(hub: TinyHub, tmp_path: Path) -> dict[str, str]:
    return {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "HOME": str(tmp_path)}


def refusal(reference: str, environ: dict[str, str], **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        resolve(reference, environ=environ, **options)  # type: ignore[arg-type]
    assert str(caught.value).count("\n") <= 1
    return str(caught.value)


def test_a_model_is_fetched_once_and_works(hub: TinyHub, environ: dict[str, str]) -> None:
    files = resolve("org/tiny", environ=environ)
    assert files.reference == "org/tiny"
    assert load_network(files, use_cache=False).width > 259
    assert load_tokenizer(files).stop_ids == {0, 2}
    asked = len(hub.requests)
    assert resolve("org/tiny", environ=environ) == files
    assert len(hub.requests) == asked


def test_only_what_is_needed_is_fetched(environ: dict[str, str]) -> None:
    files = resolve("org/tiny", environ=environ)
    names = {str(path.relative_to(files.path)) for path in files.path.rglob("*")}
    assert names == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }


@pytest.mark.parametrize("revision", ["main", COMMIT])
def test_a_revision_can_be_named(environ: dict[str, str], revision: str) -> None:
    assert resolve("org/tiny", environ=environ, revision=revision).path.name == COMMIT


def test_offline_uses_the_cache_and_nothing_else(hub: TinyHub, environ: dict[str, str]) -> None:
    assert "not in the cache" in refusal("org/tiny", environ, offline=True)
    assert "not in the cache" in refusal("org/tiny", environ | {"HF_HUB_OFFLINE": "1"})
    assert hub.requests == []
    online = resolve("org/tiny", environ=environ)
    assert resolve("org/tiny", environ=environ, offline=True) == online
    assert resolve("org/tiny", environ=environ | {"HF_HUB_OFFLINE": "1"}) == online


def test_a_fetch_that_broke_off_goes_on(hub: TinyHub, environ: dict[str, str]) -> None:
    complete = resolve("org/tiny", environ=environ).path
    blob = (complete / "model.safetensors").resolve()
    content = blob.read_bytes()
    blob.with_name(blob.name + ".incomplete").write_bytes(content[:1000])
    (complete / "model.safetensors").unlink()
    blob.unlink()
    assert "not in the cache" in refusal("org/tiny", environ, offline=True)
    hub.requests.clear()
    assert (resolve("org/tiny", environ=environ).path / "model.safetensors").is_file()
    fetched = [asked for asked in hub.requests if asked.startswith("GET /org/tiny/resolve")]
    assert fetched == [f"GET /org/tiny/resolve/{COMMIT}/model.safetensors"]


def test_a_model_that_is_not_there(environ: dict[str, str]) -> None:
    assert "no model org/absent" in refusal("org/absent", environ)


def test_a_revision_that_is_not_there(environ: dict[str, str]) -> None:
    assert "no revision v9" in refusal("org/tiny", environ, revision="v9")


def test_a_gated_model(environ: dict[str, str]) -> None:
    assert "gated" in refusal("org/gated", environ)


@pytest.mark.parametrize("status", [401, 403])
def test_a_hub_that_wants_a_login(hub: TinyHub, environ: dict[str, str], status: int) -> None:
    hub.status = status
    assert "hf auth login" in refusal("org/tiny", environ)


def test_a_hub_that_cannot_be_reached(environ: dict[str, str]) -> None:
    nowhere = environ | {"HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "can't be reached" in refusal("org/tiny", nowhere)


@pytest.mark.slow
def test_a_hub_that_fails(hub: TinyHub, environ: dict[str, str]) -> None:
    hub.status = 500
    assert "HTTP 500" in refusal("org/tiny", environ)


@pytest.mark.slow
def test_a_connection_that_breaks(hub: TinyHub, environ: dict[str, str]) -> None:
    hub.cut_after = 5000
    assert "fetching org/tiny failed" in refusal("org/tiny", environ)
    hub.cut_after = None
    assert resolve("org/tiny", environ=environ).path.is_dir()


@pytest.mark.parametrize("reference", ["org/name/file", "no such model", "a/b/c", "-/..", "x.gguf"])
def test_what_is_no_reference_at_all(environ: dict[str, str], reference: str) -> None:
    assert refusal(reference, environ)
