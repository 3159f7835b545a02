"""Faults in the file store."""

from typing import Final

from faults.fault import Fault, of

_REPLACE: Final = "        os.replace(beside, name, src_dir_fd=here, dst_dir_fd=here)\n"
_REMOVE: Final = (
    "        try:\n            os.unlink(name, dir_fd=here)\n        except FileNotFoundError:\n            pass\n"
)

FILES: Final[list[Fault]] = [
    *of(
        "stores/files/spelling.py",
        "blocks",
        ("owners are cleaned", "}~{hashlib.sha256(value.encode()).hexdigest()[:40]}", "}"),
        (
            "the digest is of the folded name",
            "hashlib.sha256(value.encode())",
            "hashlib.sha256(value.casefold().encode())",
        ),
        ("keys are folded", 'return f"{mask:x}~{key}{_SUFFIX}"', 'return f"{key.upper()}{_SUFFIX}"'),
        (
            "tenants share a root",
            "(scope,) if tenant == DEFAULT_TENANT else (TENANTS, spell_id(tenant), scope)",
            "(scope,)",
        ),
        (
            "scopes share a folder",
            "(scope,) if tenant == DEFAULT_TENANT else (TENANTS, spell_id(tenant), scope)",
            '("user",) if tenant == DEFAULT_TENANT else (TENANTS, spell_id(tenant), "user")',
        ),
        ("a long owner is a long name", "{0,62}[a-z0-9_@+-])?", "{0,400}[a-z0-9_@+-])?"),
    ),
    *of(
        "stores/files/spelling.py",
        "whole",
        ("the spelling of a tenant changes", "(TENANTS, spell_id(tenant), scope)", "(spell_id(tenant), scope)"),
        ("the spelling of an owner changes", "hexdigest()[:40]", "hexdigest()[:39]"),
        ("the spelling of a key changes", 'return f"{mask:x}~{key}{_SUFFIX}"', 'return f"{mask:X}~{key}{_SUFFIX}"'),
        ("a capital in an owner is plain", 're.compile(r"[a-z0-9](?:', 're.compile(r"[A-Za-z0-9](?:'),
        ("a device's name is plain", 'return name.partition(".")[0].upper() in _DEVICES', "return name in _DEVICES"),
    ),
    *of(
        "stores/files/contents.py",
        "blocks",
        (
            "ends of line are folded",
            "checked_text(data.decode(), ",
            'checked_text(data.decode().replace("\\r\\n", "\\n"), ',
        ),
        ("a byte order mark is dropped", "checked_text(data.decode(), ", 'checked_text(data.decode("utf-8-sig"), '),
        ("an end of line is added", "data = text.encode()", 'data = text.encode() + b"\\n"'),
        ("white space at the end is dropped", "data = text.encode()", "data = text.rstrip().encode()"),
    ),
    *of(
        "stores/files/contents.py",
        "whole",
        (
            "bytes that are no text are read as one",
            "checked_text(data.decode(), ",
            'checked_text(data.decode(errors="replace"), ',
        ),
        (
            "a file of any size is read",
            "    if len(data) > MOST_BYTES:\n        raise StoreCorrupt(",
            "    if len(data) < 0:\n        raise StoreCorrupt(",
        ),
        (
            "a text is written that is too long to read",
            "    if len(data) > MOST_BYTES:\n        raise InvalidInput(",
            "    if len(data) < 0:\n        raise InvalidInput(",
        ),
        ("a NUL is read", 'return checked_text(data.decode(), param="text")', "return data.decode()"),
    ),
    *of(
        "stores/files/folders.py",
        "whole",
        (
            "a block is written in place",
            _REPLACE,
            "        os.unlink(beside, dir_fd=here)\n"
            '        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=here), "wb") as opened:\n'
            "            opened.truncate()\n"
            "            opened.write(data)\n"
            "        os.utime(name, ns=(nanoseconds, nanoseconds), dir_fd=here)\n",
        ),
        ("the old file is removed first", _REPLACE, _REMOVE + _REPLACE),
        ("links are followed", 'getattr(os, "O_NOFOLLOW", 0)', "0"),
        ("a folder is read as a file", "if not stat.S_ISREG(found.st_mode):", "if stat.S_ISLNK(found.st_mode):"),
        ("what failed is left over", "        _discard(here, beside)\n", ""),
        (
            "a change of mind leaves its file",
            "            os.unlink(beside, dir_fd=here)\n            return None",
            "            return None",
        ),
        ("a file is anybody's to read", "_NEW, 0o600, dir_fd", "_NEW, 0o644, dir_fd"),
        (
            "a folder is anybody's to enter",
            "os.mkdir(name, mode=0o700, dir_fd=here)",
            "os.mkdir(name, mode=0o755, dir_fd=here)",
        ),
        ("a file has the time of the disk", "            os.utime(file, ns=(nanoseconds, nanoseconds))\n", ""),
        (
            "times are kept to the second",
            "(at - _EPOCH) // _MICROSECOND * 1000",
            "(at - _EPOCH) // _MICROSECOND // 1_000_000 * 1_000_000_000",
        ),
        ("a file is known by its size", "_identity(found) == seen.identity", "found.st_size == seen.identity[1]"),
        ("a file that came between is not seen", "return seen is None\n", "return True\n"),
        ("a time beyond all clocks hides a block", "except OverflowError:", "except ZeroDivisionError:"),
    ),
    *of(
        "stores/files/folders.py",
        "files",
        ("a file is renamed before it lasts", "            os.fsync(file)\n", "", "refused_write"),
    ),
    *of(
        "stores/files/folders.py",
        "trials/test_trials",
        (
            "a rename does not last",
            "        raise\n    os.fsync(here)\n    return kept",
            "        raise\n    return kept",
            "power",
        ),
        (
            "a removal does not last",
            "    os.unlink(name, dir_fd=here)\n    os.fsync(here)\n",
            "    os.unlink(name, dir_fd=here)\n",
            "power",
        ),
        (
            "a new folder does not last",
            "            os.fsync(here)\n    except BaseException:",
            "            pass\n    except BaseException:",
            "power",
        ),
    ),
    *of(
        "stores/files/store.py",
        "whole",
        (
            "a write takes no lock",
            "with translated(writing=True), self._locks.held(steps), folders.folder(self._root, steps, create=True) as here:",
            "with translated(writing=True), folders.folder(self._root, steps, create=True) as here:",
        ),
        (
            "an edit by hand is overwritten",
            "unseen = partial(folders.is_still, here, name, seen)",
            "unseen = lambda: True",
        ),
        ("an edit gives up at once", "for _ in range(EDIT_ATTEMPTS):", "for _ in range(1):"),
        ("an edit never gives up", "for _ in range(EDIT_ATTEMPTS):", "while True:"),
        (
            "a list fails on one damaged file",
            "    except StoreCorrupt:\n        return None",
            "    except ZeroDivisionError:\n        return None",
        ),
        ("a purge leaves what was cut short", "if _is_ours(name) and _take", "if read_key(name) is not None and _take"),
        ("a purge takes what is not ours", "if _is_ours(name) and _take", "if _take"),
        (
            "a purge leaves the owner's folder",
            "            if len(taken) == len(names):\n                folders.remove_folder(self._root, steps)\n",
            "",
        ),
        ("a purge counts what was cut short", "sum(read_key(name) is not None for name in taken)", "len(taken)"),
        ("a purge stops at a folder", "        if folders.is_folder(here, name):\n            return False\n", ""),
        (
            "reading makes folders",
            "with folders.folder(self._root, _steps(key.tenant, key.scope, key.owner)) as here:",
            "with folders.folder(self._root, _steps(key.tenant, key.scope, key.owner), create=True) as here:",
        ),
    ),
    *of(
        "stores/files/store.py",
        "blocks",
        (
            "blocks come as the folder has them",
            "keys = sorted(key for name in os.listdir(here) if (key := read_key(name)) is not None)",
            "keys = [key for name in sorted(os.listdir(here)) if (key := read_key(name)) is not None]",
        ),
        (
            "a deletion does not look at the etag",
            "if not replaces(stored, None, key=key, expect=expect):",
            "if not replaces(stored, None, key=key, expect=ANY):",
        ),
        (
            "an edit does not look at the etag",
            "if not replaces(stored, block.text, key=key, expect=expect)",
            "if not replaces(stored, block.text, key=key, expect=ANY)",
        ),
        (
            "a write answers with its own etag as the one before",
            "changed=True, etag_before=etag)",
            "changed=True, etag_before=block.etag)",
        ),
    ),
    *of(
        "stores/files/locks.py",
        "whole",
        ("processes do not queue", "lock.acquire(timeout=_PATIENCE, poll_interval=_POLL)", "pass"),
        ("a lock is kept for ever", "                lock.release()\n", "                pass\n"),
        ("a link to locks is followed", "if self._folder.is_symlink():", "if False:"),
    ),
    *of(
        "stores/files/problems.py",
        "whole",
        ("a full disk is an unknown trouble", "if error.errno in _FULL:", "if error.errno == -1:"),
        ("a refused write is an unknown trouble", "if error.errno in _READ_ONLY and writing:", "if error.errno == -1:"),
        (
            "a refused read is a refused write",
            "if error.errno in _READ_ONLY and writing:",
            "if error.errno in _READ_ONLY:",
        ),
    ),
]
"""Its own."""
