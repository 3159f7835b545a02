"""Faults in the routed store."""

from typing import Final

from faults.fault import Fault, of

_ROOM: Final = "wrappers/routed"
_ADDRESSES: Final = of(
    "wrappers/address.py",
    "addresses",
    ("what stands beside the options is dropped", "if parts.netloc or parts.path or parts.fragment:", "if parts.path:"),
    ("of two the last counts", "elif name in found:", 'elif name == "":'),
    ("an empty option is taken", "elif not value:", "elif value is None:"),
    ("an option that nobody knows is dropped", "if name not in known:\n", 'if name not in known and name == "":\n'),
)

ROUTED: Final[list[Fault]] = [
    *of(
        f"{_ROOM}/routes.py",
        "routed",
        (
            "scopes have no store of their own",
            "self.named.get(scope, self.named.get(DEFAULT))",
            "self.named.get(DEFAULT)",
        ),
        (
            "the default goes before the scopes",
            "self.named.get(scope, self.named.get(DEFAULT))",
            "self.named.get(DEFAULT, self.named.get(scope))",
        ),
        (
            "what has no route goes anywhere",
            "self.named.get(scope, self.named.get(DEFAULT))",
            "self.named.get(scope, next(iter(self.named.values()), None))",
        ),
        ("a function goes last", "if self.route is not None and", "if scope not in self.named and self.route and"),
        (
            "a function sees one tenant",
            "self.route(scope, owner, tenant)",
            'self.route(scope, owner, TenantId("default"))',
        ),
        ("a function sees no owner", "self.route(scope, owner, tenant)", 'self.route(scope, "", tenant)'),
        (
            "a function's answer is taken as it is",
            'return a_store(chosen, wrapper="Routed", argument="route")',
            "return chosen",
        ),
        ("a name that is no scope is taken", "if name not in ROUTES:", "if not name:"),
        ("what is no store is taken", '            a_store(store, wrapper="Routed", argument=name)\n', ""),
        ("a router without a store is made", "if not named and route is None:", "if named is None:"),
        ("one store is two", "names.setdefault(id(store), [])", "names.setdefault(id(name), [])"),
        ("nobody says what to give", 'do=f"give Routed({scope}=…) or Routed(default=…)"', 'do="give a store"'),
    ),
    *of(
        f"{_ROOM}/store.py",
        "routed",
        ("many come by their stores", "return [found[key] for key in keys]", "return [*found.values()]"),
        (
            "many are read from one store",
            "asked.setdefault(self._of(key), [])",
            "asked.setdefault(self._of(keys[0]), [])",
        ),
        (
            "a list is of another store",
            "store_of(tenant, scope, owner).blocks(",
            'store_of(tenant, "user", owner).blocks(',
        ),
        (
            "a purge is of another store",
            "store_of(tenant, scope, owner).purge(",
            'store_of(tenant, "user", owner).purge(',
        ),
        ("nobody says in which store it is wrong", 'f"{name}: {line}"', "line"),
        ("nobody says of which store it is told", 'f"{name}.{fact}": told', "fact: told"),
        ("one that fails leaves others open", "closing.push_async_callback(store.close)", "await store.close()"),
        ("nothing is closed", "closing.push_async_callback(store.close)", "closing.callback(list)"),
        ("a word overrules the mapping", "named.setdefault(name, store) is not store", "named.update({name: store})"),
        ("one able store is enough", "if all(able in store", "if any(able in store"),
        (
            "a function's stores are able to anything",
            "    if route is not None:\n        return frozenset()\n",
            "",
        ),
        ("shared blocks have no store by word", '"shared": shared, ', ""),
    ),
    *of(
        f"{_ROOM}/store.py",
        "blocks",
        ("put drops what it expects", "put(block, expect=expect,", "put(block, expect=ANY,", "beside and expected"),
        ("edit drops what it expects", "change=change, expect=expect)\n", "change=change)\n", "beside and expected"),
        (
            "delete drops what it expects",
            ".delete(key, expect=expect, change=change)",
            ".delete(key, change=change)",
            "beside and expected",
        ),
        (
            "an edit is a read and a write",
            "return await self._of(key).edit(key, decide, change=change, expect=expect)",
            "block = Block(key=key, text=decide(await self.get(key)), updated_at=change.at)\n"
            "        return await self.put(block, expect=expect, change=change)",
            "beside and edits",
        ),
        (
            "a purge is of one tenant",
            ".purge(tenant, scope, owner)",
            '.purge(TenantId("default"), scope, owner)',
            "beside and purge",
        ),
        (
            "a list is of one tenant",
            ".blocks(tenant, scope, owner)",
            '.blocks(TenantId("default"), scope, owner)',
            "beside",
        ),
        ("every page of revisions is the first", "before=before, limit=limit", "limit=limit", "beside and pages"),
        ("a page of revisions has no limit", "before=before, limit=limit", "before=before", "beside and pages"),
    ),
    *of(
        f"{_ROOM}/opening.py",
        "addresses",
        ("one URL is two stores", "if inner not in stores:", "if inner:"),
        ("what was opened stays open", "                opened.push_async_callback(stores[inner].close)\n", ""),
        ("the stores are closed at once", "        opened.pop_all()\n", ""),
        ("a URL without a store is taken", "    if not urls:\n", "    if urls is None:\n"),
    ),
    *_ADDRESSES,
    *of(
        "wrappers/given.py",
        "routed",
        ("a URL is a store", "if not isinstance(value, BlockStore):", "if value is None:"),
    ),
]
"""Its own."""
