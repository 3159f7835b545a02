-- Forgets passages, and the owner with the last of them.
-- ARGV: 1 "all" (whatever lies there) or "some"; 2 the beginning of the places of a session, or ""; 3 "1" if only some
-- ids; then these.
if ARGV[1] == 'all' then
    local count = redis.pcall('HLEN', ROWS)
    redis.call('UNLINK', unpack(KEYS))
    return {'removed', type(count) == 'number' and count or 0}
end
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local asked, ids = {}, {}
for at = 4, #ARGV do asked[ARGV[at]] = true end
if ARGV[2] ~= '' then
    for _, place in ipairs(places_from(ARGV[2])) do
        if ARGV[3] ~= '1' or asked[id_of(place)] then table.insert(ids, id_of(place)) end
    end
else
    for id in pairs(asked) do
        if redis.call('HEXISTS', ROWS, id) == 1 then table.insert(ids, id) end
    end
end
if #ids == 0 then return {'removed', 0} end
if #ids == redis.call('HLEN', ROWS) then
    redis.call('UNLINK', unpack(KEYS))
    return {'removed', #ids}
end

local places, times = traces(ids)
if not places then return {'damaged', ROWS} end
-- Memory gets free first: after that, a full server takes the rest.
all('HDEL', ROWS, ids)
all('ZREM', ORDER, ids)
all('ZREM', PLACES, places)
all('ZREM', TIMES, times)
next_revision(true)
forget_vectors(ids)
return {'removed', #ids}
