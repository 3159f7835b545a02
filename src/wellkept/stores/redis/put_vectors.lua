-- Adds vectors to passages that are there.
-- ARGV: for each the id, the model and the vector.
local hurt = damaged()
if hurt then return {'damaged', hurt} end

local by_model, order = {}, {}
for at = 1, #ARGV, 3 do
    if redis.call('HEXISTS', ROWS, ARGV[at]) == 1 then
        add_to(by_model, ARGV[at + 1], ARGV[at], ARGV[at + 2])
        table.insert(order, ARGV[at])
    end
end
if #order == 0 then return {'put', 0} end

local revision, scored = next_revision(false), {}
for number, id in ipairs(order) do scored[2 * number - 1], scored[2 * number] = revision, id end
put_vectors(by_model)
all('ZADD', ORDER, scored)
return {'put', #order}
