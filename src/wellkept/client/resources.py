"""What a blocking client can do, by subject. What a method takes and does stands with its call in `calls`."""

from wellkept.client.calls import (
    agents,
    audit,
    blocks,
    chat,
    keys,
    memories,
    passages,
    review,
    system,
    turn_memory,
    turns,
)
from wellkept.client.sender import Resource, each, sent, streamed


class Agents(Resource):
    """Agents and their versions."""

    create = sent(agents.create)
    list = sent(agents.list_)
    iter = each(agents.list_)
    get = sent(agents.get)
    update = sent(agents.update)
    delete = sent(agents.delete)
    disable = sent(agents.disable)
    enable = sent(agents.enable)
    versions = sent(agents.versions)
    iter_versions = each(agents.versions)
    version = sent(agents.version)


class Memories(Resource):
    """Memories, as an administrator sees them."""

    create = sent(memories.create)
    list = sent(memories.list_)
    iter = each(memories.list_)
    get = sent(memories.get)
    update = sent(memories.update)
    delete = sent(memories.delete)


class Passages(Resource):
    """Past conversations: what was said, kept and found again."""

    ingest = sent(passages.ingest)
    recall = sent(passages.recall)
    list = sent(passages.list_)
    iter = each(passages.list_)
    delete = sent(passages.delete)
    stats = sent(passages.stats)
    reindex = sent(passages.reindex)


class Blocks(Resource):
    """Blocks and their history, as an administrator sees them."""

    list = sent(blocks.list_)
    get = sent(blocks.get)
    put = sent(blocks.put)
    edit = sent(blocks.edit)
    add = sent(blocks.add)
    replace = sent(blocks.replace)
    remove = sent(blocks.remove)
    delete = sent(blocks.delete)
    history = sent(blocks.history)
    iter_history = each(blocks.history)
    diff = sent(blocks.diff)
    restore = sent(blocks.restore)


class Turns(Resource):
    """Whole turns and their sessions; and what a turn does with memory, for loops that run elsewhere."""

    run = sent(turns.run)
    stream = streamed(turns.stream)
    generate = sent(turns.generate)
    sessions = sent(turns.sessions)
    iter_sessions = each(turns.sessions)
    session = sent(turns.session)
    messages = sent(turns.messages)
    iter_messages = each(turns.messages)
    delete_session = sent(turns.delete_session)
    declared = sent(turn_memory.declared)
    view_block = sent(turn_memory.view_block)
    edit_block = sent(turn_memory.edit_block)
    save_memory = sent(turn_memory.save_memory)
    get_memory = sent(turn_memory.get_memory)
    search_memories = sent(turn_memory.search_memories)
    update_memory = sent(turn_memory.update_memory)
    delete_memory = sent(turn_memory.delete_memory)
    search_past = sent(turn_memory.search_past)


class ContextCalls(Resource):
    """The memory part of the prompt, for loops that run elsewhere."""

    render = sent(turn_memory.render)


class Keys(Resource):
    """API keys."""

    create = sent(keys.create)
    list = sent(keys.list_)
    revoke = sent(keys.revoke)


class Review(Resource):
    """Writes that wait for approval."""

    list = sent(review.list_)
    iter = each(review.list_)
    get = sent(review.get)
    approve = sent(review.approve)
    reject = sent(review.reject)


class Audit(Resource):
    """Who changed what."""

    list = sent(audit.list_)
    iter = each(audit.list_)


class Chat(Resource):
    """The plain chat router: the default agent, or one that is named."""

    send = sent(chat.send)
    stream = streamed(chat.stream)
    session = sent(chat.session)
    delete_session = sent(chat.delete_session)


class System(Resource):
    """The state of the server."""

    live = sent(system.live)
    ready = sent(system.ready)
