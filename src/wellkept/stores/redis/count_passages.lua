-- Counts what an owner has: passages, sessions, and then by turns the models and how many vectors of them.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local sessions, from = 0, '-'
while true do
    local place = redis.call('ZRANGEBYLEX', PLACES, from, '+', 'LIMIT', 0, 1)[1]
    if not place then break end
    sessions = sessions + 1
    from = '(' .. string.sub(place, 1, stop_of(place, 1) - 1) .. '\1'
end
local answer, stamp = {'counts', redis.call('HLEN', ROWS), sessions}, redis.call('HGETALL', STAMP)
for at = 1, #stamp, 2 do
    if string.sub(stamp[at], 1, 8) == 'vectors:' then
        table.insert(answer, string.sub(stamp[at], 9))
        table.insert(answer, tonumber(stamp[at + 1]))
    end
end
return answer
