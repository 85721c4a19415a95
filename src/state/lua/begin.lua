-- Gives the lease of a record to one attempt: for a new turn, or for the one that is open.
--
-- Input
--   KEYS        8, see record.lua, and the sorted set of open turns
--   a.by        the attempt; the same one gets its lease again, since its reply may have been lost
--   a.again     it may have run before: a turn that it began may be another process's by now
--   a.purpose   start | resume
--   a.turn      of resume: the turn that has to be open
--   a.context   of start: where the turn's messages go. Default: the active context
--   a.input     text: what the turn begins with
--   a.key, a.hash, a.former, a.claimTtl  texts and milliseconds: the idempotency key, the digest of the body, and the one
--               that an older release made of it
--   a.maxTurns, a.maxSize  when the record takes no new turn
--   a.lease     how long the lease holds, in milliseconds
--   a.entry, a.keepOpen  text and milliseconds: how the turn is named among the open ones; without them it is not
-- Output
--   ok, now, ttl, owner, head, turn, {base, total, messages}, memory, approvals, entries
--   repeated, turn (this attempt, or this idempotency key, began it before) | busy, paused or milliseconds | missing |
--   unreadable, v | conflict | ended, turn | no_context | limit | full
--- @include record
--- @keys 9

-- A session's idempotency keys are looked through once for this many new ones.
local CLAIMS_BETWEEN_SWEEPS = 32
-- How many turns others can have begun, at most, while one attempt is sent again.
local LOOKED_THROUGH = 16
-- What a turn keeps of the attempt that began it: 48 bits of its random id, or more, tell sixteen attempts apart.
local MARK = string.sub(a.by, 1, 13)

local head, refusal, flat = load()
if not head then return refusal end

-- Fields of the head that only scripts read.
local UNREAD = {v = true, made = true, by = true, n = true, seq = true, last = true, size = true}

-- The head as it is now, in the order in which its fields were made.
local function shownHead()
  local changed = {}
  for i = 1, #changes, 2 do changed[changes[i]] = changes[i + 1] end
  local shown = {}
  local function show(name, value)
    if UNREAD[name] then return end
    shown[#shown + 1] = name
    shown[#shown + 1] = value
  end
  for i = 1, #flat, 2 do show(flat[i], changed[flat[i]] or flat[i + 1]) end
  for i = 1, #changes, 2 do
    if not head[changes[i]] then show(changes[i], changes[i + 1]) end
  end
  return shown
end

-- The reply. The turn is added to the set of open turns in the same step,
-- so that it is found even if its process dies at once. In a cluster that set is on another node and is written before.
local function begun()
  if a.entry then
    redis.call('ZADD', KEYS[9], integer(now + a.lease), text(a.entry))
    redis.call('PEXPIRE', KEYS[9], a.keepOpen)
  end
  local turn, context = turnOf(head.turn)
  local base = tonumber(head['b:' .. context] or '0')
  local total = tonumber(head['c:' .. context] or '0')
  local reply = headReply(shownHead())
  for _, part in ipairs({turn, {base, total, messagesOf(context, base, total)},
    redis.call('HGETALL', MEMORY), redis.call('HGETALL', APPROVALS), redis.call('HGETALL', ENTRIES)}) do
    reply[#reply + 1] = part
  end
  return reply
end

-- Which process in a row this is that has the turn, and how long nobody had it: what a process gave back, or a person
-- waited with, is no death.
local function succession(grant)
  if grant == 'started' then return 0, 0 end
  local taken = tonumber(head.taken or '0')
  if grant ~= 'interrupted' then return taken, 0 end
  local idle = math.max(now - tonumber(head.lease or '0'), 0)
  if head.by == '' then return taken, idle end
  return taken + 1, idle + a.lease
end

local function take(grant, opening)
  local taken, idle = succession(grant)
  local epoch = integer(math.max(tonumber(head.epoch) + 1, tonumber(time[1])))
  changes = {'epoch', epoch, 'by', a.by, 'grant', grant, 'open', 'running', 'n', 0, 'seq', 0, 'turn', head.turn,
    'lease', integer(now + a.lease), 'size', head.size or 0}
  -- Most turns are begun by the process that ends them.
  if taken > 0 or head.taken then
    for _, value in ipairs({'taken', taken, 'idle', integer(idle)}) do changes[#changes + 1] = value end
  end
  write()
  redis.call('HSET', TURNS, head.turn .. ':status', 'running', unpack(opening))
  redis.call('HSETNX', TURNS, head.turn .. ':from', epoch .. '-1')
  keep()
  return begun()
end

-- Deletes expired keys after every CLAIMS_BETWEEN_SWEEPS new ones.
local function forgetClaims()
  if redis.call('HLEN', CLAIMS) % CLAIMS_BETWEEN_SWEEPS ~= CLAIMS_BETWEEN_SWEEPS - 1 then return end
  local flat = redis.call('HGETALL', CLAIMS)
  for i = 1, #flat, 2 do
    local at = string.match(flat[i + 1], '^%d+ (%d+) ')
    if now - tonumber(at) >= a.claimTtl then redis.call('HDEL', CLAIMS, flat[i]) end
  end
end

-- The turn that this attempt began and that another process has taken since, among the last ones.
local function begunBefore()
  local last = tonumber(head.turn)
  for turn = last, math.max(1, last - LOOKED_THROUGH + 1), -1 do
    if redis.call('HGET', TURNS, turn .. ':by') == MARK then return turn end
  end
end

-- The same attempt again: its reply was lost.
if head.open == 'running' and head.by == a.by then
  changes = {'lease', integer(now + a.lease)}
  write()
  return begun()
end
local before = a.purpose == 'start' and a.again and begunBefore()
if before then return {'repeated', integer(before)} end
if a.purpose == 'start' and a.key then
  local known = redis.call('HGET', CLAIMS, text(a.key))
  if known then
    local turn, at, hash = string.match(known, '^(%d+) (%d+) (.*)$')
    if now - tonumber(at) < a.claimTtl then
      if hash ~= text(a.hash) and hash ~= text(a.former) then return {'conflict'} end
      return {'repeated', turn}
    end
  end
end
if leased(head) then return busyReply(head) end
if a.purpose == 'resume' then
  if not head.open or (a.turn and tostring(a.turn) ~= head.turn) then return {'ended', head.turn} end
  return take(head.open == 'running' and 'interrupted' or 'resumed', {})
end
if head.open == 'running' then return take('interrupted', {}) end
if head.open then return busyReply(head) end
local context = a.context or head.ctx
if not head['x:' .. context] then return {'no_context'} end
if a.maxTurns and tonumber(head.turn) >= a.maxTurns then return {'limit'} end
-- A record of an older release begins to count now.
local size = tonumber(head.size or '0')
if size >= a.maxSize then return {'full'} end
head.size = integer(size + #text(a.input))
head.turn = integer(tonumber(head.turn) + 1)
if a.key then
  forgetClaims()
  redis.call('HSET', CLAIMS, text(a.key), head.turn .. ' ' .. integer(now) .. ' ' .. text(a.hash))
end
return take('started', {head.turn .. ':context', context, head.turn .. ':input', text(a.input),
  head.turn .. ':at', integer(now), head.turn .. ':by', MARK})
