-- Takes a name out of an index, unless it was announced again since it was read, or the reading is too long ago.
-- KEYS[1] the index. ARGV: 1 the name; 2 the token that was read; 3 the deadline.
if tonumber(redis.call('TIME')[1]) > tonumber(ARGV[3]) then return 0 end
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
