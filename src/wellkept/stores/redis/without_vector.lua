-- Which of some passages have no vector of a model.
-- ARGV: 1 the model; then ids.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local answer = {'without'}
for at = 2, #ARGV do
    if redis.call('HEXISTS', VECTORS, ARGV[at] .. ':' .. ARGV[1]) == 0 then table.insert(answer, ARGV[at]) end
end
return answer
