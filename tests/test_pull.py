"""Models fetched over real HTTP: what goes wrong on the way is repaired or said in two lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlxjson.errors import ModelError, UsageError
from mlxjson.model import resolve
from mlxjson.model.hub import pull
from mlxjson.model.hub_cache import cached_folder
from mlxjson.pulling import pull_model

from .command import mlxjson
from .tiny_hub import COMMIT, TinyHub, serving
from .tiny_model import make_tiny_model

pytestmark = pytest.mark.filterwarnings("ignore:.*HF_TOKEN.*", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("hub") / "tiny")


@pytest.fixture
def hub(folder: Path) -> Iterator[TinyHub]:
    with serving(TinyHub({"org/tiny": folder}, gated={"org/gated"})) as hub:
        yield hub


@pytest.fixture
def environ(hub: TinyHub, tmp_path: Path) -> dict[str, str]:
    return {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "HOME": str(tmp_path)}


def refusal(environ: dict[str, str], reference: str = "org/tiny", **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        pull(reference, environ=environ, **options)  # type: ignore[arg-type]
    assert str(caught.value).count("\n") <= 1
    return str(caught.value)


def fetched(hub: TinyHub) -> list[str]:
    """The names of the files whose content was asked for."""
    return sorted(a.rpartition("/")[2] for a in hub.requests if a.startswith("GET /org"))


def test_a_pulled_model_is_whole_and_is_not_fetched_again(
    hub: TinyHub, environ: dict[str, str], folder: Path
) -> None:
    snapshot = pull("org/tiny", environ=environ)
    assert {p.name for p in snapshot.iterdir()} == {p.name for p in folder.iterdir()}
    assert all((snapshot / p.name).read_bytes() == p.read_bytes() for p in folder.iterdir())
    hub.requests.clear()
    assert pull("org/tiny", environ=environ) == snapshot
    assert fetched(hub) == []


def test_a_commit_that_is_there_needs_no_network(hub: TinyHub, environ: dict[str, str]) -> None:
    snapshot = pull("org/tiny", environ=environ, revision=COMMIT)
    hub.requests.clear()
    assert pull("org/tiny", environ=environ, revision=COMMIT) == snapshot
    assert resolve(f"org/tiny@{COMMIT}", environ=environ).path == snapshot
    assert hub.requests == []


@pytest.mark.parametrize("reference", ["org/tiny@main", f"org/tiny@{COMMIT}"])
def test_a_revision_is_part_of_the_reference(environ: dict[str, str], reference: str) -> None:
    snapshot, note = pull_model(reference, environ=environ)
    assert snapshot.name == COMMIT
    assert f"org/tiny@{COMMIT}" in note
    assert resolve(reference, environ=environ, offline=True).path == snapshot


def test_what_is_no_id_and_revisions_that_contradict(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="not a hub id"):
        pull_model("starter", environ=environ)
    with pytest.raises(UsageError, match="two revisions"):
        pull_model("org/tiny@a", "b", environ=environ)


def test_no_model_no_revision_no_access(hub: TinyHub, environ: dict[str, str]) -> None:
    assert "no model org/absent" in refusal(environ, "org/absent")
    assert "no revision v9" in refusal(environ, revision="v9")
    assert "must grant access" in refusal(environ, "org/gated")
    for status in (401, 403):
        hub.status = status
        assert "hf auth login" in refusal(environ)


@pytest.mark.slow
def test_a_hub_that_is_asked_too_often_is_asked_again(
    hub: TinyHub, environ: dict[str, str]
) -> None:
    hub.busy = 3
    assert pull("org/tiny", environ=environ).is_dir()
    assert hub.busy == 0


@pytest.mark.parametrize("asked", ["HEAD", "GET /org", "GET /api/models/org/tiny/revision"])
@pytest.mark.slow
def test_no_request_is_given_up_for_being_one_too_many(
    hub: TinyHub, environ: dict[str, str], asked: str
) -> None:
    hub.busy_for = {asked}
    assert cached_folder("org/tiny", environ=environ) is None
    assert pull("org/tiny", environ=environ) == cached_folder("org/tiny", environ=environ)
    assert hub.busy_for == set()


@pytest.mark.slow
def test_a_cut_connection_is_taken_up_where_it_broke(
    hub: TinyHub, environ: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Bytes are written in blocks of this size, 10 MB unless a test says otherwise.
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1000)
    hub.cut_after, hub.cuts = 20_000, 1
    snapshot = pull("org/tiny", environ=environ)
    assert hub.cuts == 0
    resumed = [asked for asked in hub.requests if " from " in asked]
    assert [asked.rpartition("/")[2] for asked in resumed] == ["model.safetensors from 20000"]
    name = "model.safetensors"
    assert (snapshot / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.slow
def test_after_a_failure_only_what_is_missing_is_fetched(
    hub: TinyHub, environ: dict[str, str]
) -> None:
    hub.cut_after = 20_000
    assert "fetching org/tiny failed" in refusal(environ)
    hub.cut_after = None
    hub.requests.clear()
    assert pull("org/tiny", environ=environ).is_dir()
    assert fetched(hub) == ["model.safetensors"]


def test_a_wrong_checksum_is_noticed_and_repaired(hub: TinyHub, environ: dict[str, str]) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        hub.damaged = {name}
        assert f"{name} of org/tiny is damaged" in refusal(environ)
        assert cached_folder("org/tiny", environ=environ) is None
        hub.damaged.clear()
        hub.requests.clear()
        snapshot = pull("org/tiny", environ=environ)
        assert name in fetched(hub)
        (snapshot / "tokenizer.json").resolve().unlink()
        (snapshot / "tokenizer.json").unlink()


def test_a_file_that_went_bad_on_the_disk_is_noticed(environ: dict[str, str]) -> None:
    weights = pull("org/tiny", environ=environ) / "model.safetensors"
    content = weights.read_bytes()
    weights.resolve().write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "model.safetensors of org/tiny is damaged" in refusal(environ)
    assert (pull("org/tiny", environ=environ) / "model.safetensors").read_bytes() == content


def test_a_wrong_size_is_noticed(hub: TinyHub, environ: dict[str, str]) -> None:
    hub.shorter = {"generation_config.json"}
    assert "fetching org/tiny failed" in refusal(environ)


def test_room_is_looked_for_before_anything_large_is_fetched(
    hub: TinyHub, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1 << 20))
    assert "no room for org/tiny" in refusal(environ)
    assert fetched(hub) == ["config.json"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "of_the_future"}, "'of_the_future'"),
        ({"quantization_config": {"quant_method": "gptq"}}, "'gptq'"),
    ],
)
def test_what_could_not_be_loaded_is_not_fetched(
    hub: TinyHub, environ: dict[str, str], tmp_path: Path, change: dict[str, str], message: str
) -> None:
    other = make_tiny_model(tmp_path / "other")
    config = json.loads((other / "config.json").read_text()) | change
    (other / "config.json").write_text(json.dumps(config))
    hub.models["org/other"] = other
    assert message in refusal(environ, "org/other")
    assert fetched(hub) == ["config.json"]


def test_a_model_in_gguf_files_says_what_to_do(
    hub: TinyHub, environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.gguf").write_bytes(b"GGUF")
    hub.models["org/other"] = tmp_path / "other"
    assert "download the .gguf file" in refusal(environ, "org/other")


def test_offline_says_whether_it_is_there(hub: TinyHub, environ: dict[str, str]) -> None:
    assert "mlxjson pull org/tiny" in refusal(environ, offline=True)
    assert f"mlxjson pull org/tiny@{COMMIT}" in refusal(environ, offline=True, revision=COMMIT)
    assert hub.requests == []
    snapshot = pull("org/tiny", environ=environ)
    hub.requests.clear()
    assert pull("org/tiny", environ=environ, offline=True) == snapshot
    assert hub.requests == []


def test_a_hub_that_is_down_leaves_the_cache_usable(environ: dict[str, str]) -> None:
    nowhere = environ | {"HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "not in the cache" in refusal(nowhere)
    pull("org/tiny", environ=environ)
    assert "can still be used" in refusal(nowhere)
    assert resolve("org/tiny", environ=nowhere).path.is_dir()


@pytest.mark.slow
def test_the_command_prints_the_folder(hub: TinyHub, tmp_path: Path) -> None:
    variables = {"HF_ENDPOINT": hub.url}
    done = mlxjson("pull", "org/tiny", home=tmp_path, variables=variables)
    assert done.code == 0
    snapshot = Path(done.text.strip())
    assert snapshot.name == COMMIT
    assert done.text.count("\n") == 1
    assert done.lines == [
        f"mlxjson: 5 files, 0.1 MB; to pin this state: -m org/tiny@{COMMIT}",
    ]
    refused = mlxjson("pull", "org/gated", home=tmp_path, variables=variables)
    assert refused.code == 6
    assert refused.out == b""
    assert len(refused.lines) == 2
