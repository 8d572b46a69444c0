"""Where a subschema stands, and what its references lead to.

A `Place` is a subschema with what its meaning depends on: the resource it belongs to (for the base
URI), its dialect, and the resources passed on the way (the dynamic scope). References of the form
`#/…` are walked here; everything else is looked up with the `referencing` library.

Source: JSON Schema core 2020-12, sections 8.2 ($id, $anchor, $dynamicAnchor, $ref, $dynamicRef);
core 2019-09, section 8.2.4.2 ($recursiveRef).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ConstraintError
from mlxjson.schema.dialects import ANY_DRAFT, Dialect, dialect_of
from mlxjson.schema.documents import escape, joined, moving_anchors, parts, registry_of, words

if TYPE_CHECKING:
    from mlxjson.schema.items import Items, Negation
    from mlxjson.schema.summary import Summary

_DYNAMIC_WORDS = {"$dynamicAnchor", "$recursiveAnchor"}
_WATCHING_WORDS = {"unevaluatedProperties", "unevaluatedItems"}


@dataclass(slots=True, eq=False)
class Resource:
    """A schema that may have a URI of its own. `moving`: the names of its anchors that move."""

    uri: str
    root: Any
    pointer: str
    dialect: Dialect
    moving: frozenset[str]


@dataclass(slots=True, eq=False)
class Place:
    """A subschema where it stands. Made by `World` only, once for each, so identity is equality."""

    schema: Any
    pointer: str
    resource: Resource
    dialect: Dialect
    scope: tuple[Resource, ...]
    world: "World"
    items: "Items | None" = None
    negation: "Negation | None" = None
    summary: "Summary | None" = None
    opposite: "Summary | None" = None
    # What was worked out about the items of this place, by the items themselves: an id would be
    # given away again once an item is gone.
    kept: dict[Any, Any] = field(default_factory=dict)

    def error(self, message: str, keyword: str = "") -> ConstraintError:
        """An error that names this place."""
        where = f"{self.pointer}/{keyword}" if keyword else self.pointer
        return ConstraintError(message, where=f"schema at '{where}'")


def unescape(token: str) -> str:
    """The inverse of `escape`, for a token in a URI fragment."""
    if "%" in token:
        from urllib.parse import unquote

        token = unquote(token)
    return token.replace("~1", "/").replace("~0", "~")


class World:
    """All places of one schema, and the documents its references may reach."""

    def __init__(self, root: Any, store: Mapping[str, Any] | None = None) -> None:
        self.store = dict(store or {})
        self._root = root
        self.watched = False  # whether an unevaluated keyword occurs anywhere
        self._places: dict[Any, Place] = {}
        self._resources: dict[str, Resource] = {}
        self._registry: Any = None
        self._pointers: dict[int, str] | None = None
        self._default = "draft2020-12"
        dialect = dialect_of(root, ANY_DRAFT, self._document)
        self._default = dialect.name
        uri = (_identifier(root, dialect) or "").partition("#")[0]
        self._top = self._resource(uri, root, "", dialect)
        self.root = self.place(root, "", self._top, ())

    def place(
        self, schema: Any, pointer: str, resource: Resource, scope: tuple[Resource, ...]
    ) -> Place:
        """The place of `schema`, which must be an object or a boolean."""
        if not isinstance(schema, dict | bool):
            raise ConstraintError(
                f"a schema is an object or a boolean, not {_kind(schema)}",
                where=f"schema at '{pointer}'",
            )
        if resource.moving and not all(any(n in r.moving for r in scope) for n in resource.moving):
            scope = (*scope, resource)  # only the outermost resource with a name matters
        key = (pointer if isinstance(schema, bool) else id(schema), resource.uri, scope)
        found = self._places.get(key)
        if found is None:
            found = Place(schema, pointer, resource, resource.dialect, scope, self)
            self._places[key] = found
        return found

    def child(self, place: Place, schema: Any, *tokens: str) -> Place:
        """The subschema of `place` that `tokens` lead to."""
        pointer = "/".join((place.pointer, *map(escape, tokens)))
        resource = self._entered(place.resource, schema, pointer)
        return self.place(schema, pointer, resource, place.scope)

    def refer(self, place: Place, reference: str, keyword: str = "$ref") -> Place:
        """What `$ref` leads to from `place`."""
        uri, hash_, fragment = reference.partition("#")
        if not uri and hash_ and (not fragment or fragment[0] == "/"):
            return self._walk(place, place.resource, fragment, reference, keyword)
        base, _, fragment = joined(place.resource.uri, reference).partition("#")
        resource = self._find(place, base, reference, keyword)
        if not fragment or fragment[0] == "/":
            return self._walk(place, resource, fragment, reference, keyword)
        found = self._anchor(resource, fragment)
        if found is None:
            raise place.error(f"there is no anchor for the reference {reference!r}", keyword)
        return self._anchored(place, resource, found)

    def refer_dynamically(self, place: Place, reference: str) -> Place:
        """What `$dynamicRef` leads to: the outermost dynamic anchor of that name."""
        first = self.refer(place, reference, "$dynamicRef")
        name = reference.partition("#")[2]
        anchor = None if not name or name[0] == "/" else self._anchor(first.resource, name)
        if not _moves(anchor):
            return first
        for resource in place.scope:
            found = self._anchor(resource, name)
            if _moves(found):
                return self._anchored(place, resource, found)
        return first

    def refer_recursively(self, place: Place, reference: str) -> Place:
        """What `$recursiveRef` leads to: the outermost resource with `$recursiveAnchor`."""
        first = self.refer(place, reference, "$recursiveRef")
        if not _recursive(first.schema):
            return first
        resource = next((r for r in place.scope if _recursive(r.root)), first.resource)
        return self.place(resource.root, resource.pointer, resource, place.scope)

    def _entered(self, resource: Resource, schema: Any, pointer: str) -> Resource:
        """The resource that `schema` belongs to, standing inside `resource`."""
        name = _identifier(schema, resource.dialect)
        if name is None or schema is resource.root:
            return resource
        uri = joined(resource.uri, name).partition("#")[0]
        found = self._resources.get(uri)
        if found is not None and found.root is schema:
            return found
        dialect = dialect_of(schema, resource.dialect, self._document)
        return self._resource(uri, schema, pointer, dialect)

    def _resource(self, uri: str, root: Any, pointer: str, dialect: Dialect) -> Resource:
        modern = dialect.name > "draft2"
        found = words(root) if modern and isinstance(root, dict) else set()
        moving = moving_anchors(root) if found & _DYNAMIC_WORDS else frozenset()
        watched = bool(found & _WATCHING_WORDS)
        self.watched = self.watched or watched
        made = Resource(uri, root, pointer, dialect, moving)
        self._resources.setdefault(uri, made)
        return made

    def _walk(
        self, place: Place, resource: Resource, fragment: str, reference: str, keyword: str
    ) -> Place:
        """Follow a JSON Pointer from the root of `resource`."""
        schema, pointer = resource.root, resource.pointer
        for raw in fragment.split("/")[1:]:
            token = unescape(raw)
            if isinstance(schema, dict) and token in schema:
                schema = schema[token]
            elif isinstance(schema, list) and token.isdigit() and int(token) < len(schema):
                schema = schema[int(token)]
            else:
                raise place.error(f"the reference {reference!r} leads nowhere", keyword)
            pointer = f"{pointer}/{escape(token)}"
            resource = self._entered(resource, schema, pointer)
        return self.place(schema, pointer, resource, place.scope)

    def _find(self, place: Place, uri: str, reference: str, keyword: str) -> Resource:
        """The resource at `uri`, among those passed, the store and the meta-schemas."""
        if uri == place.resource.uri:
            return place.resource
        contents = self._document(uri)
        if contents is None:
            raise ConstraintError(
                f"the reference {reference!r} leads to {uri or 'nothing'}, which is not here",
                where=f"schema at '{place.pointer}/{keyword}'",
                hint="References over the network are never followed: give a local copy.",
            )
        found = self._resources.get(uri)
        if found is not None and found.root is contents:
            return found
        default = ANY_DRAFT if place.dialect is ANY_DRAFT else place.dialect
        dialect = dialect_of(contents, default, self._document)
        return self._resource(uri, contents, self._pointer_of(contents, uri), dialect)

    def _document(self, uri: str) -> Any:
        """The contents at `uri`, or None."""
        from referencing.exceptions import NoSuchResource, Unretrievable

        try:
            return self.registry.get_or_retrieve(uri.rstrip("#")).value.contents
        except (NoSuchResource, Unretrievable):
            return None

    @property
    def registry(self) -> Any:
        """Every document by its URI, with the identifiers inside them."""
        if self._registry is None:
            self._registry = registry_of(self._root, self.store, self._default)
        return self._registry

    def _anchor(self, resource: Resource, name: str) -> Any:
        from referencing.exceptions import NoSuchAnchor, NoSuchResource, Unretrievable

        try:
            return self.registry.anchor(resource.uri, name).value
        except (NoSuchAnchor, NoSuchResource, Unretrievable):
            return None

    def _anchored(self, place: Place, resource: Resource, anchor: Any) -> Place:
        contents = anchor.resource.contents
        pointer = self._pointer_of(contents, f"{resource.uri}#{anchor.name}")
        return self.place(contents, pointer, resource, place.scope)

    def _pointer_of(self, schema: Any, otherwise: str) -> str:
        """The JSON Pointer of a part of the root document, or `otherwise` for other documents."""
        if self._pointers is None:
            self._pointers = {id(part): where for part, where in parts(self._root)}
        return self._pointers.get(id(schema), otherwise)


def _identifier(schema: Any, dialect: Dialect) -> str | None:
    """The `$id` of a schema, if it has one that is more than an anchor."""
    if not isinstance(schema, dict):
        return None
    name = schema.get(dialect.id_keyword)
    if not isinstance(name, str) or name[:1] in ("", "#"):
        return None
    return None if dialect.ref_alone and "$ref" in schema else name


def _moves(anchor: Any) -> bool:
    """Whether an anchor is a `$dynamicAnchor`."""
    return type(anchor).__name__ == "DynamicAnchor"


def _recursive(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("$recursiveAnchor") is True


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", type(None): "null"}
    return names.get(type(value), "a number")
