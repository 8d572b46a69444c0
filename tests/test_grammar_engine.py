"""xgrammar is loaded without torch, transformers and pydantic, and still does what we ask."""

import subprocess
import sys

from mlxjson.grammar.engine import xgr

_CODE = """
import sys
from mlxjson.grammar.engine import xgr
heavy = {"torch", "transformers", "pydantic", "sentencepiece", "tiktoken"}
loaded = {name.split(".")[0] for name in sys.modules}
assert not heavy & loaded, heavy & loaded
assert "xgrammar.structural_tag" not in sys.modules
import tvm_ffi.cpp
assert tvm_ffi.cpp.__file__
"""


def test_heavy_modules_stay_out_and_stand_ins_do_not_stay() -> None:
    subprocess.run([sys.executable, "-c", _CODE], check=True)


def test_structural_tags_work_as_json() -> None:
    info = xgr.TokenizerInfo([b"a", b"b", b""], vocab_size=3, stop_token_ids=[2])
    compiler = xgr.GrammarCompiler(info)
    tag = '{"type": "structural_tag", "format": {"type": "const_string", "value": "ab"}}'
    matcher = xgr.GrammarMatcher(compiler.compile_structural_tag(tag))
    assert matcher.accept_string("ab")
    assert matcher.is_completed()
