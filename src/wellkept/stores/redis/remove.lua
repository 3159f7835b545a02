-- Removes a block and leaves a mark that it is gone, which ends by itself after two minutes: see listing.py.
-- KEYS[1] the block. ARGV: 1 "delete", "purge" (whatever it is) or "mark" (only if there is none);
-- 2 for a delete the etag to remove, "-" for none, "*" for any; 3 the name of the mark.
local kind = redis.call('TYPE', KEYS[1]).ok
local etag, gone
if kind == 'hash' then
    local fields = redis.call('HMGET', KEYS[1], 'etag', 'gone')
    etag, gone = fields[1], fields[2]
end
local there = etag or (kind ~= 'none' and not gone)
if ARGV[1] == 'delete' then
    if not there then return {'none'} end
    if not etag then return {'damaged'} end
    if ARGV[2] ~= '*' and ARGV[2] ~= etag then return {'conflict', etag} end
elseif ARGV[1] == 'mark' and there then
    return {'there'}
end
-- What frees memory first: after it, a full server lets the mark be written, too.
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'gone', ARGV[3])
redis.call('PEXPIRE', KEYS[1], 120000)
return {there and 'removed' or 'none'}
