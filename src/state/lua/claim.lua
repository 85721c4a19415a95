-- Binds an idempotency key to what the first request with it makes.
--
-- Input
--   KEYS     the key's own
--   a.value  text; a.ttl, in milliseconds
-- Output
--   fresh | known, the value of the first
--- @include common
--- @keys 1

local known = redis.call('GET', KEYS[1])
if known then return {'known', known} end
redis.call('SET', KEYS[1], text(a.value), 'PX', a.ttl)
return {'fresh'}
