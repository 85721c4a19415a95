-- Finds out whether scripts may write and publish.
--
-- Input
--   KEYS  one that nobody reads
-- Output
--   ok
--- @include common
--- @keys 1

redis.call('SET', KEYS[1], integer(now), 'PX', 1000)
redis.call('PUBLISH', KEYS[1], '')
return {'ok'}
