-- Reads an index, and until when one may withdraw what was read.
-- KEYS[1] the index. Gives the deadline, then names and tokens by turns.
local answer = redis.call('HGETALL', KEYS[1])
table.insert(answer, 1, tostring(tonumber(redis.call('TIME')[1]) + 60))
return answer
