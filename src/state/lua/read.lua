-- Reads a record, or a part of it.
--
-- Input
--   KEYS    8, see record.lua
--   a.part  turn | messages | memory | approvals | entries. Default: the record itself
--   a.turn  of turn
--   a.context, a.from, a.limit  of messages
-- Output
--   ok, and the part: now, ttl, owner, head | turn | {from, total, messages} | names and values
--   missing | unreadable, v | no_turn | no_context
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
if a.part == 'turn' then
  if redis.call('HEXISTS', TURNS, a.turn .. ':status') == 0 then return {'no_turn'} end
  return {'ok', (turnOf(tostring(a.turn)))}
end
if a.part == 'messages' then
  local context = a.context or head.ctx
  if not head['x:' .. context] then return {'no_context'} end
  local total = tonumber(head['c:' .. context])
  local first = math.min(a.from, total)
  local past = math.min(total, first + (a.limit or total))
  return {'ok', {first, total, messagesOf(context, first, past)}}
end
if a.part == 'memory' then return {'ok', redis.call('HGETALL', MEMORY)} end
if a.part == 'approvals' then return {'ok', redis.call('HGETALL', APPROVALS)} end
if a.part == 'entries' then return {'ok', redis.call('HGETALL', ENTRIES)} end
return view()
