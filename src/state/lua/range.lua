-- Reads events for followers: no owner has to be given, newer versions are not refused, and events are texts.
--
-- Input
--   KEYS     8, see record.lua
--   a.from, a.count  from which id, and how many at most
-- Output
--   ok, the id of the last event or '', what XRANGE says | missing
--- @include record
--- @keys 8

local head = redis.call('HMGET', HEAD, 'owner', 'last')
if not head[1] or (a.owner and a.owner ~= head[1]) then return {'missing'} end
return {'ok', head[2] or '', redis.call('XRANGE', EVENTS, a.from, '+', 'COUNT', a.count)}
