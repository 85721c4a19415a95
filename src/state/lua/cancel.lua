-- Requests the cancellation of a turn, whichever process runs it.
--
-- Input
--   KEYS       8, see record.lua
--   a.turn     default: the last one
--   a.channel, a.kind, a.id  where the process that runs it is notified, and of which record
-- Output
--   ok, ended | unattended | requested, turn, status
--   missing | unreadable, v | no_turn
--- @include record
--- @keys 8

local head, refusal = load()
if not head then return refusal end
local turn = a.turn and tostring(a.turn) or head.turn
if turn == '0' or tonumber(turn) > tonumber(head.turn) then return {'no_turn'} end
if not head.open or turn ~= head.turn then
  return {'ok', 'ended', turn, redis.call('HGET', TURNS, turn .. ':status')}
end
redis.call('HSET', HEAD, 'cancel', turn)
if head.open ~= 'running' or not leased(head) then return {'ok', 'unattended', turn, head.open} end
redis.call('PUBLISH', a.channel, a.kind .. ' ' .. a.id .. ' ' .. turn)
return {'ok', 'requested', turn, head.open}
