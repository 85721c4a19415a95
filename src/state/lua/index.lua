-- An index of ids by time: the time after which an id is left out of lists, or looked at again.
--
-- Input
--   KEYS      a sorted set
--   a.change  put | drop | due | page
--   a.uses    of put: {id, how many milliseconds ago}; a.after, from now; a.ttl of the set
--   a.ids     of drop
--   a.limit   of due and page; a.after: when those that are due come again
--   a.id, a.score  of page: the last one of the page before
-- Output
--   put, drop: ok, now · due: ok, ids · page: ok, how many in all, ids and scores
--- @include common
--- @keys 1

local key = KEYS[1]
if a.change == 'put' then
  for _, use in ipairs(a.uses) do redis.call('ZADD', key, integer(now + a.after - use[2]), use[1]) end
elseif a.change == 'drop' then
  redis.call('ZREM', key, unpack(a.ids))
elseif a.change == 'due' then
  local ids = redis.call('ZRANGEBYSCORE', key, '-inf', integer(now), 'LIMIT', 0, a.limit)
  for _, id in ipairs(ids) do redis.call('ZADD', key, integer(now + a.after), id) end
  return {'ok', ids}
else
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. integer(now))
  local start = 0
  if a.id then
    local rank = redis.call('ZREVRANK', key, a.id)
    if rank and redis.call('ZSCORE', key, a.id) == a.score then start = rank + 1
    else start = redis.call('ZCOUNT', key, a.score, '+inf') end
  end
  return {'ok', redis.call('ZCARD', key), redis.call('ZREVRANGE', key, start, start + a.limit - 1, 'WITHSCORES')}
end
if a.ttl then redis.call('PEXPIRE', key, a.ttl) end
return {'ok', integer(now)}
