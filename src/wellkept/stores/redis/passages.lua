-- What the scripts of passages begin with.
-- KEYS: 1 the stamp, 2 the rows, 3 the ids by revision, 4 by place, 5 by time, 6 the vectors; all of one owner.
local STAMP, ROWS, ORDER, PLACES, TIMES, VECTORS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local KINDS = {'hash', 'hash', 'zset', 'zset', 'zset', 'hash'}
local MANY = 1000

-- The first key under which something else lies than should.
local function damaged()
    for number, kind in ipairs(KINDS) do
        local found = redis.call('TYPE', KEYS[number]).ok
        if found ~= 'none' and found ~= kind then return KEYS[number] end
    end
end

-- Runs a command with any number of words, an even number at a time; adds up what it answers.
local function all(command, key, words)
    local sum = 0
    for first = 1, #words, MANY do
        sum = sum + redis.call(command, key, unpack(words, first, math.min(first + MANY - 1, #words)))
    end
    return sum
end

-- Reads any number of fields of a hash.
local function fields(key, names)
    local found = {}
    for first = 1, #names, MANY do
        local last = math.min(first + MANY - 1, #names)
        for number, value in ipairs(redis.call('HMGET', key, unpack(names, first, last))) do
            found[first + number - 1] = value
        end
    end
    return found
end

-- The members of PLACES that begin so; the beginning ends with NUL.
local function places_from(beginning)
    local stop = string.sub(beginning, 1, -2) .. '\1'
    return redis.call('ZRANGEBYLEX', PLACES, '[' .. beginning, '(' .. stop)
end

local function id_of(place)
    return string.sub(place, -20)
end

-- Where the NUL of a row is that ends its so-many-th field; nil in what is no row.
local function stop_of(row, number)
    local stop = row and 0
    for _ = 1, number do stop = stop and string.find(row, '\0', stop + 1, true) end
    return stop
end

-- The members of a row in PLACES and TIMES.
local function members(id, row)
    local number, time = stop_of(row, 4), stop_of(row, 5)
    return string.sub(row, 1, number) .. id, string.sub(row, number + 1, time - 1) .. id
end

local function text_of(row)
    return string.sub(row, stop_of(row, 6) + 1, stop_of(row, 7) - 1)
end

-- The first write of a script: a full server refuses it, and nothing was changed.
local function next_revision(removes)
    local now = redis.call('TIME')
    local known = redis.call('HGET', STAMP, 'revision')
    local revision = math.max((tonumber(known) or 0) + 1, tonumber(now[1]) * 1000000 + tonumber(now[2]))
    revision = string.format('%.0f', revision)
    redis.call('HSET', STAMP, 'revision', revision)
    if removes or not known then redis.call('HSET', STAMP, 'removals', revision) end
    return revision
end

-- Forgets the vectors of every model.
local function forget_vectors(ids)
    if #ids == 0 then return end
    for _, name in ipairs(redis.call('HKEYS', STAMP)) do
        if string.sub(name, 1, 8) == 'vectors:' then
            local names = {}
            for number, id in ipairs(ids) do names[number] = id .. string.sub(name, 8) end
            if redis.call('HINCRBY', STAMP, name, -all('HDEL', VECTORS, names)) <= 0 then
                redis.call('HDEL', STAMP, name)
            end
        end
    end
end

-- Writes vectors: by model, ids and vectors by turns.
local function put_vectors(by_model)
    for model, vectors in pairs(by_model) do
        local names = {}
        for at = 1, #vectors, 2 do names[at], names[at + 1] = vectors[at] .. ':' .. model, vectors[at + 1] end
        local new = all('HSET', VECTORS, names)
        if new > 0 then redis.call('HINCRBY', STAMP, 'vectors:' .. model, new) end
    end
end

local function add_to(by_model, model, id, vector)
    local vectors = by_model[model] or {}
    by_model[model] = vectors
    vectors[#vectors + 1], vectors[#vectors + 2] = id, vector
end

-- What is to be taken out with rows; nil if one of them is none.
local function traces(ids)
    local places, times = {}, {}
    for number, row in ipairs(fields(ROWS, ids)) do
        if not stop_of(row, 7) then return nil end
        places[number], times[number] = members(ids[number], row)
    end
    return places, times
end
