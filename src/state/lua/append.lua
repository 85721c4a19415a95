-- Adds events to the log, without a commit.
--
-- Input
--   KEYS  8, see record.lua
--   a.epoch, a.by  see lease.lua
--   a.events, a.maxEvents, a.eventTtl  see commit.lua
-- Output
--   ok | fenced
--- @include lease
--- @keys 8

if fenced() then return {'fenced'} end
local seq = tonumber(held[5])
if a.events.first > seq + 1 then return {'fenced'} end
addEvents(a.events, held[1], seq)
if #changes > 0 then write() end
return {'ok'}
