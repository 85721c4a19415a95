-- Makes a record, or finds the one that the same token made.
--
-- Input
--   KEYS      8, see record.lua
--   a.token   says that a second call is the first one, sent again
--   a.head, a.context  texts: the head's own JSON, and that of the context `main`
--   a.parent  the response that a response continues, if any
--   a.input   text: the input of a first turn, which is queued, if any
-- Output
--   ok, now, ttl, owner, head | exists
--- @include record
--- @keys 8

local made = redis.call('HMGET', HEAD, 'made', 'owner')
if made[1] then
  if made[1] == a.token and made[2] == a.owner then return view() end
  return {'exists'}
end
redis.call('UNLINK', unpack(KEYS))
redis.call('HSET', HEAD, 'v', a.v, 'owner', a.owner, 'made', a.token, 'createdAt', integer(now), 'epoch', 0,
  'turn', 0, 'ctx', 'main', 'head', text(a.head), 'x:main', text(a.context), 'c:main', 0)
if a.parent then redis.call('HSET', HEAD, 'parent', a.parent) end
if a.input then
  redis.call('HSET', TURNS, '1:status', 'queued', '1:context', 'main', '1:input', text(a.input), '1:at', integer(now))
  redis.call('HSET', HEAD, 'turn', 1, 'open', 'queued', 'size', #text(a.input))
end
keep()
return view()
