-- Extends a lease.
--
-- Input
--   KEYS  8, see record.lua
--   a.epoch, a.by, a.lease  see lease.lua
--   a.n   the last commit that was confirmed: a record that knows less has lost it
-- Output
--   ok, 1 where a cancel was asked for | fenced
--- @include lease
--- @keys 8

if fenced() or tonumber(held[4]) < a.n then return {'fenced'} end
extend()
write()
return confirmed()
