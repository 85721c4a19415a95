-- Makes a record whose turn runs from its first moment, or finds the one that the same attempt made.
--
-- Input
--   KEYS      8, see record.lua, and the set of open turns
--   a.token, a.by  say that a second call is the first one, sent again
--   a.lease   how long the lease holds, in milliseconds
--   a.head, a.context, a.input  texts: the head's own JSON, that of the context `main`, the input of the turn
--   a.parent  the response that a response continues, if any
--   a.entry   text: the name of the turn among the open ones; none in a cluster, where it is named before
--   a.keepOpen  with it: how long that set stays
-- Output
--   ok, now, ttl, owner, head | exists
--- @include record
--- @keys 9

local made = redis.call('HMGET', HEAD, 'made', 'owner', 'by')
if made[1] then
  if made[1] == a.token and made[2] == a.owner and made[3] == a.by then return view() end
  return {'exists'}
end
local epoch = integer(tonumber(time[1]))
changes = {'v', a.v, 'owner', a.owner, 'made', a.token, 'createdAt', integer(now), 'epoch', epoch, 'by', a.by,
  'grant', 'resumed', 'open', 'running', 'n', 0, 'seq', 0, 'turn', 1, 'lease', integer(now + a.lease),
  'size', #text(a.input), 'ctx', 'main', 'head', text(a.head), 'x:main', text(a.context), 'c:main', 0}
if a.parent then put('parent', a.parent) end
redis.call('UNLINK', unpack(KEYS, 1, 8))
write()
redis.call('HSET', TURNS, '1:status', 'running', '1:context', 'main', '1:input', text(a.input), '1:at', integer(now),
  '1:from', epoch .. '-1')
if a.entry then
  redis.call('ZADD', KEYS[9], integer(now + a.lease), text(a.entry))
  redis.call('PEXPIRE', KEYS[9], a.keepOpen)
end
keep()
return view()
