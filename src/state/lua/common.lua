-- What every script begins with.
--
-- Input
--   ARGV[1]  a JSON object of small things: `a`
--   ARGV[n]  texts of callers, which `a` names by their numbers: they are stored and returned as they are,
--            and Lua's own JSON would change them
-- Gives
--   a        the object
--   text(n)  the text of a number
--   now      epoch milliseconds, by Redis' clock; `time` is what TIME said
--   integer(n)  a number as text, without an exponent

local a = cjson.decode(ARGV[1])
local function text(n) return ARGV[n] end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function integer(n) return string.format('%.0f', n) end
