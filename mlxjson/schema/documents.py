"""Whole documents: their parts and words, URIs, and the registry that finds one by its URI."""

from collections.abc import Iterator, Mapping
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema.dialects import META_SCHEMAS


def escape(token: str) -> str:
    """A reference token of a JSON Pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")


def parts(document: Any) -> Iterator[tuple[Any, str]]:
    """Every object and array in a document with its JSON Pointer."""
    waiting = [(document, "")]
    while waiting:
        part, pointer = waiting.pop()
        yield part, pointer
        pairs = part.items() if isinstance(part, dict) else enumerate(part)
        waiting += [
            (value, f"{pointer}/{escape(str(name))}")
            for name, value in pairs
            if isinstance(value, dict | list)
        ]


def words(document: Any) -> set[str]:
    """Every key of every object in a document."""
    found: set[str] = set()
    passed: set[int] = set()
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if id(part) in passed:
            continue
        passed.add(id(part))
        values: Any = part
        if isinstance(part, dict):
            found.update(part)
            values = part.values()
        waiting += [value for value in values if isinstance(value, dict | list)]
    return found


def moving_anchors(root: dict[str, Any]) -> frozenset[str]:
    """The names of the dynamic anchors of a resource; "" for `$recursiveAnchor`.

    Those of resources embedded in it, which have an `$id`, are theirs.
    """
    found = {""} if root.get("$recursiveAnchor") is True else set()
    passed: set[int] = set()
    waiting: list[Any] = [root]
    while waiting:
        part = waiting.pop()
        embedded = part is not root and isinstance(part, dict) and isinstance(part.get("$id"), str)
        if id(part) in passed or embedded:
            continue
        passed.add(id(part))
        if isinstance(part, dict) and isinstance(part.get("$dynamicAnchor"), str):
            found.add(part["$dynamicAnchor"])
        values: Any = part.values() if isinstance(part, dict) else part
        waiting += [value for value in values if isinstance(value, dict | list)]
    return frozenset(found)


def joined(base: str, reference: str) -> str:
    """A reference resolved against a base URI (RFC 3986, section 5)."""
    from urllib.parse import urljoin  # 10 ms of start-up that few schemas need

    return urljoin(base, reference)


def registry_of(root: Any, store: Mapping[str, Any], draft: str) -> Any:
    """The meta-schemas, the store and the root document, with every identifier in them.

    Documents without `$schema` are read as `draft`.
    """
    from jsonschema_specifications import REGISTRY
    from referencing import Resource as Document
    from referencing.jsonschema import DRAFT202012, specification_with

    default = specification_with(META_SCHEMAS[draft])

    def document(contents: Any, specification: Any) -> Any:
        return Document.from_contents(contents, default_specification=specification)

    registry: Any = REGISTRY
    for uri, contents in store.items():
        try:
            registry = registry.with_resource(uri, document(contents, default)).crawl()
        except (AttributeError, TypeError, ValueError):  # not a document of that draft
            registry = registry.with_resource(uri, document(contents, DRAFT202012)).crawl()
    if not isinstance(root, dict):
        return registry
    resource = default.create_resource(root)
    try:
        return registry.with_resource(resource.id() or "", resource).crawl()
    except (AttributeError, TypeError, ValueError) as error:
        raise ConstraintError(
            f"the identifiers in the schema can't be read: {error}", where="schema at ''"
        ) from error
