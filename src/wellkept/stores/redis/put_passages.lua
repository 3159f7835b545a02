-- Stores whole messages.
-- ARGV: 1 how many messages; the beginning of each one's places; then for each piece its id, its row without the entry,
-- the entry, the model ("": no vector) and the vector.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local first, ids, given, gone = tonumber(ARGV[1]) + 2, {}, {}, {}
for at = first, #ARGV, 5 do
    table.insert(ids, ARGV[at])
    given[ARGV[at]] = true
end
for at = 2, first - 1 do
    for _, place in ipairs(places_from(ARGV[at])) do
        if not given[id_of(place)] then table.insert(gone, id_of(place)) end
    end
end

local written, replaced, removes = {}, {}, #gone > 0
for number, row in ipairs(fields(ROWS, ids)) do
    local at = first + 5 * (number - 1)
    local new = ARGV[at + 1]
    if not row or string.sub(row, 1, #new) ~= new then
        table.insert(written, at)
        if row then
            if not stop_of(row, 7) then return {'damaged', ROWS} end
            table.insert(replaced, ids[number])
            removes = removes or text_of(row) ~= text_of(new)
        end
    end
end
local gone_places, gone_times = traces(gone)
local old_places, old_times = traces(replaced)
if not gone_places then return {'damaged', ROWS} end
local unchanged = #ids - #written
if #written + #gone == 0 then return {'put', 0, 0, unchanged, 0} end

local revision = next_revision(removes)
all('HDEL', ROWS, gone)
all('ZREM', ORDER, gone)
all('ZREM', PLACES, gone_places)
all('ZREM', TIMES, gone_times)
all('ZREM', PLACES, old_places)
all('ZREM', TIMES, old_times)
forget_vectors(gone)
forget_vectors(replaced)
local rows, order, places, times, by_model = {}, {}, {}, {}, {}
for number, at in ipairs(written) do
    local id = ARGV[at]
    local place, time = members(id, ARGV[at + 1])
    rows[2 * number - 1], rows[2 * number] = id, ARGV[at + 1] .. ARGV[at + 2]
    order[2 * number - 1], order[2 * number] = revision, id
    places[2 * number - 1], places[2 * number] = 0, place
    times[2 * number - 1], times[2 * number] = 0, time
    if ARGV[at + 3] ~= '' then add_to(by_model, ARGV[at + 3], id, ARGV[at + 4]) end
end
all('HSET', ROWS, rows)
all('ZADD', ORDER, order)
all('ZADD', PLACES, places)
all('ZADD', TIMES, times)
put_vectors(by_model)
return {'put', #written - #replaced, #replaced, unchanged, #gone}
