-- What scripts share that write under a lease. One that is not the newest, or whose confirmed writes a failover lost, may
-- not write.
--
-- Input
--   a.epoch, a.by  the lease
--   a.lease        how long it holds from now, in milliseconds
-- Gives
--   held       epoch, by, open, n, seq, turn, cancel, v, size, lease: of the head
--   fenced()   whether the lease is not the newest
--   confirmed()  the reply of a write: ok, and 1 where a cancel was asked for
--   extend()   notes the lease's new end
--- @include record

local held = redis.call('HMGET', HEAD, 'epoch', 'by', 'open', 'n', 'seq', 'turn', 'cancel', 'v', 'size', 'lease')
local function fenced()
  return not held[1] or tonumber(held[1]) ~= a.epoch or held[2] ~= a.by or held[3] ~= 'running'
end
local function confirmed() return {'ok', held[7] == held[6] and 1 or 0} end
local function extend() put('lease', integer(now + a.lease)) end
