-- Writes what a run did, at once, and extends its lease or gives it back.
--
-- Input
--   KEYS          8, see record.lua
--   a.epoch, a.by, a.lease  see lease.lua
--   a.n           counts the commits of a lease: one that is known was written before
--   a.messages    {context, keep, base, at, count}: keeps `keep` of them, adds the texts from number `at`
--   a.entries     {name, value}: numbers of texts; the value 0 deletes
--   a.approvals   {id, status, data, decision}: the last two are numbers of texts
--   a.head, a.state, a.result  texts: of the record, of the turn
--   a.events      {first, at, count}: their first number, and that of their first text; a.maxEvents, a.eventTtl
--   a.ends        the turn's last status, or paused
--   a.release     1: the turn is given back, open
-- Output
--   ok, 1 where a cancel was asked for | fenced | no_context
--- @include lease
--- @keys 8

if fenced() then
  -- The commit that gave the lease back, again: its reply was lost.
  if held[1] and tonumber(held[1]) == a.epoch and tonumber(held[4]) >= a.n and (a.ends or a.release) then
    return confirmed()
  end
  return {'fenced'}
end
if a.n <= tonumber(held[4]) then return confirmed() end
-- The sender of a turn's end has given up by now, and reported that.
if a.ends and tonumber(held[10]) <= now then return {'fenced'} end
if a.n ~= tonumber(held[4]) + 1 then return {'fenced'} end
local seq = tonumber(held[5])
if a.events and a.events.first > seq + 1 then return {'fenced'} end
local counts = {}
local size = tonumber(held[9] or '0')
for _, change in ipairs(a.messages or {}) do
  if not counts[change.context] then
    local found = redis.call('HMGET', HEAD, 'x:' .. change.context, 'c:' .. change.context)
    if not found[1] then return {'no_context'} end
    counts[change.context] = tonumber(found[2])
  end
end

local turn = held[6]
local touched = {}
local messages = {}
local record = {}
local function note(name, value)
  record[#record + 1] = turn .. ':' .. name
  record[#record + 1] = value
end
for _, change in ipairs(a.messages or {}) do
  local count = counts[change.context]
  if change.keep and change.keep < count then
    setAll(MESSAGES, messages)
    messages = {}
    forgetMessages(change.context, change.keep, count)
    count = change.keep
  end
  for i = 0, change.count - 1 do
    messages[#messages + 1] = change.context .. '/' .. (count + i)
    messages[#messages + 1] = text(change.at + i)
    size = size + #text(change.at + i)
  end
  counts[change.context] = count + change.count
  put('c:' .. change.context, count + change.count)
  if change.base then put('b:' .. change.context, change.base) end
  touched[1] = MESSAGES
end
setAll(MESSAGES, messages)
for _, entry in ipairs(a.entries or {}) do
  if entry[2] == 0 then redis.call('HDEL', ENTRIES, text(entry[1]))
  else redis.call('HSET', ENTRIES, text(entry[1]), text(entry[2])) end
end
if a.entries then touched[#touched + 1] = ENTRIES end
for _, approval in ipairs(a.approvals or {}) do
  redis.call('HSET', APPROVALS, approval.id, text(approval.data), approval.id .. '#status', approval.status)
  if approval.decision then redis.call('HSET', APPROVALS, approval.id .. '#decision', text(approval.decision)) end
end
if a.approvals then touched[#touched + 1] = APPROVALS end
if a.head then put('head', text(a.head)) end
if a.state then note('state', text(a.state)) end
if a.result then
  note('result', text(a.result))
  size = size + #text(a.result)
end
if a.messages or a.result then put('size', integer(size)) end
local told = a.events and addEvents(a.events, held[1], seq)
put('n', a.n)
if not a.ends then
  if a.release then
    put('by', '')
    put('lease', integer(now))
  else
    extend()
  end
  write()
  setAll(TURNS, record)
  keepTouched(touched)
  return confirmed()
end
put('by', '')
put('lease', 0)
if a.ends == 'paused' then put('open', 'paused') end
write()
note('status', a.ends)
if a.ends ~= 'paused' then
  redis.call('HDEL', HEAD, 'open', 'cancel')
  if not a.state then redis.call('HDEL', TURNS, turn .. ':state') end
  note('ended', integer(now))
  local last = told or redis.call('HGET', HEAD, 'last')
  if last then note('to', last) end
end
setAll(TURNS, record)
keep()
return confirmed()
