-- Answers an approval, once.
--
-- Input
--   KEYS        8, see record.lua
--   a.id        the approval
--   a.status    approved | rejected
--   a.decision  text: the whole answer; the same one again is no conflict
-- Output
--   ok, how many are still pending, the approval's data
--   missing | unreadable, v | no_approval | decided, status
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
local found = redis.call('HMGET', APPROVALS, a.id, a.id .. '#status', a.id .. '#decision')
if not found[1] then return {'no_approval'} end
if found[2] == 'pending' then
  redis.call('HSET', APPROVALS, a.id .. '#status', a.status, a.id .. '#decision', text(a.decision))
elseif found[2] ~= a.status or found[3] ~= text(a.decision) then
  return {'decided', found[2]}
end
local flat = redis.call('HGETALL', APPROVALS)
local pending = 0
for i = 1, #flat, 2 do
  if string.sub(flat[i], -7) == '#status' and flat[i + 1] == 'pending' then pending = pending + 1 end
end
return {'ok', pending, found[1]}
