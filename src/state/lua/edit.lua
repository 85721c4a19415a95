-- Changes that need a record without an open turn.
--
-- Input
--   KEYS       8, see record.lua
--   a.change   head | remove | create | update | switch | destroy
--   a.head     text, of head
--   a.context  of all but head and remove; a.info, text, of create and update; a.most contexts, of create
--   a.again    of destroy: it may have run before
-- Output
--   ok, now, ttl, owner, head; of remove: ok
--   missing | unreadable, v | busy, paused or milliseconds | exists | limit | no_context | active
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
if head.open then return busyReply(head) end
local info = a.context and 'x:' .. a.context
if a.change == 'head' then
  redis.call('HSET', HEAD, 'head', text(a.head))
elseif a.change == 'remove' then
  redis.call('UNLINK', unpack(KEYS))
  redis.call('PUBLISH', EVENTS, '')
  return {'ok'}
elseif a.change == 'create' then
  if head[info] then
    if head[info] ~= text(a.info) then return {'exists'} end
  else
    local count = 0
    for name in pairs(head) do
      if string.sub(name, 1, 2) == 'x:' then count = count + 1 end
    end
    if count >= a.most then return {'limit'} end
    redis.call('HSET', HEAD, info, text(a.info), 'c:' .. a.context, 0)
  end
elseif not head[info] then
  if a.change == 'destroy' and a.again then return view() end
  return {'no_context'}
elseif a.change == 'update' then
  redis.call('HSET', HEAD, info, text(a.info))
elseif a.change == 'switch' then
  redis.call('HSET', HEAD, 'ctx', a.context)
else
  if head.ctx == a.context then return {'active'} end
  forgetMessages(a.context, 0, tonumber(head['c:' .. a.context]))
  redis.call('HDEL', HEAD, info, 'c:' .. a.context, 'b:' .. a.context)
end
keep()
return view()
