-- Writes a block if it replaces what it is meant to replace.
-- KEYS[1] the block. ARGV: 1 the etag to replace, "-" for none, "*" for any; 2 the new etag; 3 the text; 4 the instant;
-- 5 the mark that the writer saw when it announced a new block ("-": none, "": it did not announce); 6 until when that holds.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' and kind ~= 'hash' then return {'damaged'} end
local fields = redis.call('HMGET', KEYS[1], 'etag', 'gone')
local etag, gone = fields[1], fields[2]
if not etag and not gone and kind == 'hash' then return {'damaged'} end
if etag == ARGV[2] then
    local stored = redis.call('HMGET', KEYS[1], 'text', 'etag', 'at')
    return {'same', stored[1], stored[2], stored[3]}
end
if ARGV[1] ~= '*' and ARGV[1] ~= (etag or '-') then return {'conflict', etag or '-'} end
if not etag then
    local now = tonumber(redis.call('TIME')[1])
    if ARGV[5] ~= (gone or '-') or now > tonumber(ARGV[6]) then
        return {'announce', gone or '-', tostring(now + 60)}
    end
end
-- The first write: a full server refuses it, and nothing was changed. It never fails after it.
redis.call('HSET', KEYS[1], 'text', ARGV[3], 'etag', ARGV[2], 'at', ARGV[4])
if gone then
    redis.call('HDEL', KEYS[1], 'gone')
    redis.call('PERSIST', KEYS[1])
end
return {'stored', etag or '-'}
