-- Changes what a session remembers, also while a turn runs.
--
-- Input
--   KEYS        8, see record.lua
--   a.change    set | delete | clear
--   a.key, a.value  texts; a.most keys
--   a.whenIdle  set only while no turn is open
--   a.again     of delete: it may have run before
-- Output
--   ok | missing | unreadable, v | busy, paused or milliseconds | no_memory | limit
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
if a.whenIdle and head.open then return busyReply(head) end
if a.change == 'clear' then
  redis.call('UNLINK', MEMORY)
elseif a.change == 'delete' then
  if redis.call('HDEL', MEMORY, text(a.key)) == 0 and not a.again then return {'no_memory'} end
else
  if redis.call('HLEN', MEMORY) >= a.most and redis.call('HEXISTS', MEMORY, text(a.key)) == 0 then return {'limit'} end
  redis.call('HSET', MEMORY, text(a.key), text(a.value))
end
keep()
return {'ok'}
