-- The highest number of a session's messages.
-- ARGV: 1 the beginning of their places.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local last = 0
for _, place in ipairs(places_from(ARGV[1])) do
    last = math.max(last, tonumber(string.sub(place, stop_of(place, 3) + 1, -22)))
end
return {'last', last}
