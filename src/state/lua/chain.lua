-- Reads a response and those before it. Their keys are made of the first one's, in whose slot they are; while a slot moves,
-- one that is not here any more is asked for by its own name.
--
-- Input
--   KEYS     8, see record.lua
--   a.root, a.rest  the two parts of the id: all of a tree share the first
--   a.limit  how many at most
-- Output
--   ok, {id, status, input, result} of each, and the id of the next one or ''
--   missing | unreadable, v
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
local base = string.sub(HEAD, 1, #HEAD - #a.rest)
local found = {}
local rest = a.rest
while #found < a.limit do
  local key = base .. rest
  local kept = redis.call('HMGET', key, 'owner', 'parent')
  if kept[1] ~= head.owner then break end
  local turn = redis.call('HMGET', key .. ':turns', '1:status', '1:input', '1:result')
  found[#found + 1] = {a.root .. rest, turn[1], turn[2], turn[3]}
  if a.ttl > 0 then
    redis.call('PEXPIRE', key, a.ttl)
    redis.call('PEXPIRE', key .. ':turns', a.ttl)
  end
  if not kept[2] then return {'ok', found, ''} end
  if string.sub(kept[2], 1, #a.root) ~= a.root then return {'ok', found, kept[2]} end
  rest = string.sub(kept[2], #a.root + 1)
end
return {'ok', found, a.root .. rest}
