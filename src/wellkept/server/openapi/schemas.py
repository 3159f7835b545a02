"""JSON schemas of everything on the wire, from the types themselves."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import inspect

JsonObject = dict[str, object]
REF = "#/components/schemas/{name}"


def components(kinds: Sequence[type[msgspec.Struct]]) -> dict[str, JsonObject]:
    """Give the schemas of `kinds` and of all they are made of, by their names."""
    _, found = msgspec.json.schema_components(kinds, schema_hook=_anything, ref_template=REF)
    schemas: dict[str, JsonObject] = found
    for info in _structs(kinds):
        _refine(schemas[info.cls.__name__], info)
    return schemas


def reference(kind: type) -> JsonObject:
    """Refer to the schema of a struct."""
    return {"$ref": REF.format(name=kind.__name__)}


def properties(schema: JsonObject) -> dict[str, JsonObject]:
    """Give the schemas of an object's members."""
    members: dict[str, JsonObject] = schema.get("properties", {})  # type: ignore[assignment]  # msgspec makes it so
    return members


def choices(schema: JsonObject) -> list[JsonObject]:
    """Give the schemas of which one has to fit; none when there is no choice."""
    found: list[JsonObject] = schema.get("anyOf", [])  # type: ignore[assignment]  # msgspec makes it so
    return found


def _refine(schema: JsonObject, info: inspect.StructType) -> None:
    """Say what msgspec leaves out: the form of times, that answers are whole, and nothing about Python."""
    description = str(schema.get("description", "")).partition("\n\nRaises:")[0]
    schema["description"] = " ".join(description.split())
    members = properties(schema)
    for field in info.fields:
        if any(isinstance(part, inspect.DateTimeType) for part in _parts(field.type)):
            _format_time(members[field.encode_name])
        # What a server sends leaves nothing out; what a client may send says that it is strict.
        if not info.forbid_unknown_fields and not info.cls.__struct_config__.omit_defaults:
            members[field.encode_name].pop("default", None)
    if not info.forbid_unknown_fields and not info.cls.__struct_config__.omit_defaults:
        schema["required"] = sorted(members)


def _format_time(schema: JsonObject) -> None:
    if schema.get("type") == "string":
        schema["format"] = "date-time"
    for choice in choices(schema):
        _format_time(choice)


def _structs(kinds: Sequence[type[msgspec.Struct]]) -> Iterator[inspect.StructType]:
    seen: set[type] = set()
    ahead: list[inspect.Type] = list(inspect.multi_type_info(kinds))
    while ahead:
        info = ahead.pop()
        if isinstance(info, inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            yield info
            ahead += [field.type for field in info.fields]
        else:
            ahead += [part for part in _parts(info) if part is not info]


def _parts(info: inspect.Type) -> Iterator[inspect.Type]:
    """Give a type and, of a union, list or mapping, what it is made of."""
    yield info
    match info:
        case inspect.Metadata():
            yield from _parts(info.type)
        case inspect.UnionType():
            for one in info.types:
                yield from _parts(one)
        case inspect.VarTupleType() | inspect.ListType():
            yield from _parts(info.item_type)
        case inspect.DictType():
            yield from _parts(info.value_type)
        case _:
            pass


def _anything(kind: type) -> JsonObject:
    """Describe `object`: any JSON value."""
    if kind is object:
        return {"description": "Any JSON value."}
    raise NotImplementedError(kind)
