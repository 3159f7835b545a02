-- Reads what was written after a revision, by revision and then by id.
-- ARGV: 1 the revision; 2 the id behind which to go on at that revision, or ""; 3 how many at most; 4 the model, or "".
-- Gives for each the id, the revision, the row and the vector.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local revision, after, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local start
if after == '' then
    start = redis.call('ZCOUNT', ORDER, '-inf', revision)
elseif tonumber(redis.call('ZSCORE', ORDER, after) or -1) == tonumber(revision) then
    start = redis.call('ZRANK', ORDER, after) + 1
else -- it was changed since, or went
    start = redis.call('ZCOUNT', ORDER, '-inf', '(' .. revision)
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', ORDER, revision, revision)) do
        if id > after then break end
        start = start + 1
    end
end
local found = redis.call('ZRANGE', ORDER, start, start + limit - 1, 'WITHSCORES')
local ids, names, answer = {}, {}, {'changes'}
for at = 1, #found, 2 do
    table.insert(ids, found[at])
    table.insert(names, found[at] .. ':' .. ARGV[4])
end
local rows, vectors = fields(ROWS, ids), ARGV[4] ~= '' and fields(VECTORS, names) or {}
for number, id in ipairs(ids) do
    table.insert(answer, id)
    table.insert(answer, found[2 * number])
    table.insert(answer, rows[number])
    table.insert(answer, vectors[number] or false)
end
return answer
