-- What scripts of one record share: its keys, its head, its messages and its events.
--
-- Input
--   KEYS[1..8]  head, messages, memory, turns, approvals, claims, entries, events: in the order of RECORD_KEYS
--   a.v         the newest version of records that the caller reads
--   a.owner     whose record it has to be, if given
--   a.ttl       how long the record lives from now, in milliseconds; 0: as long as it did
--   a.maxEvents, a.eventTtl  of addEvents: how many the log keeps, and for how many milliseconds
-- Gives
--   load, leased, busyReply, keep, keepTouched, put, write, setAll, headReply, view, turnOf, messagesOf, forgetMessages, addEvents
--- @include common

-- Messages are read and deleted this many at once: Lua's stack is limited.
local SLICE = 1000
-- What is read at once is split at once: about as many bytes.
local PAGE = 65536

local HEAD, MESSAGES, MEMORY, TURNS, APPROVALS, CLAIMS, ENTRIES, EVENTS = unpack(KEYS)

-- The head as a table, or nil and the refusal.
local function load()
  local flat = redis.call('HGETALL', HEAD)
  if #flat == 0 then return nil, {'missing'} end
  local head = {}
  for i = 1, #flat, 2 do head[flat[i]] = flat[i + 1] end
  if a.owner and a.owner ~= head.owner then return nil, {'missing'} end
  if tonumber(head.v) > a.v then return nil, {'unreadable', head.v} end
  return head, nil, flat
end

local function leased(head) return head.lease and tonumber(head.lease) > now end
local function busyReply(head)
  if head.open == 'paused' then return {'busy', head.open} end
  return {'busy', integer(leased(head) and tonumber(head.lease) - now or 0)}
end

-- Everything but events lives as long as the record. Without a time of its own a record keeps what it has.
local function keep()
  local ttl = a.ttl or 0
  if ttl == 0 then ttl = redis.call('PTTL', HEAD) end
  if ttl > 0 then
    for i = 1, 7 do redis.call('PEXPIRE', KEYS[i], ttl) end
  end
end

-- The same for some of its keys, which may be new.
local function keepTouched(touched)
  local ttl = a.ttl
  if ttl == 0 then ttl = redis.call('PTTL', HEAD) end
  if ttl > 0 then
    for _, key in ipairs(touched) do redis.call('PEXPIRE', key, ttl) end
  end
end

-- What becomes of the head is gathered and written at once.
local changes = {}
local function put(name, value)
  changes[#changes + 1] = name
  changes[#changes + 1] = value
end
local function write() redis.call('HSET', HEAD, unpack(changes)) end

-- Writes names and values, some at a time.
local function setAll(key, fields)
  for start = 1, #fields, 2 * SLICE do
    redis.call('HSET', key, unpack(fields, start, math.min(start + 2 * SLICE - 1, #fields)))
  end
end

-- Texts as one, a line each; one that is absent is empty. For JSON and numbers, which have no line breaks: a reply costs
-- its reader something for each text in it, far more than for a line.
local function lines(texts, count)
  for i = 1, count do texts[i] = texts[i] or '' end
  return table.concat(texts, '\n', 1, count)
end

-- The head of a reply: Redis' time, time to live, the owner, which may be any text, and what else there is, a line for each
-- name and each value.
local function headReply(flat)
  local owner
  local shown = {}
  for i = 1, #flat, 2 do
    if flat[i] == 'owner' then owner = flat[i + 1]
    else
      shown[#shown + 1] = flat[i]
      shown[#shown + 1] = flat[i + 1]
    end
  end
  return {'ok', integer(now), redis.call('PTTL', HEAD), owner, lines(shown, #shown)}
end
local function view() return headReply(redis.call('HGETALL', HEAD)) end

-- A turn's fields, a line each, and the name of its context.
local FIELDS = {'status', 'context', 'input', 'state', 'result', 'at', 'ended', 'from', 'to'}
local function turnOf(n)
  local names = {}
  for i, field in ipairs(FIELDS) do names[i] = n .. ':' .. field end
  local values = redis.call('HMGET', TURNS, unpack(names))
  values[#FIELDS + 1] = n
  return lines(values, #FIELDS + 1), values[2]
end

-- Messages of a context from one index to before another: texts of several lines, each a message.
local function messagesOf(context, first, past)
  local pages = {}
  local page = {}
  local size = 0
  for start = first, past - 1, SLICE do
    local names = {}
    for i = start, math.min(start + SLICE - 1, past - 1) do names[#names + 1] = context .. '/' .. i end
    for _, message in ipairs(redis.call('HMGET', MESSAGES, unpack(names))) do
      if message then
        page[#page + 1] = message
        size = size + #message
      end
      if size > PAGE then
        pages[#pages + 1] = lines(page, #page)
        page = {}
        size = 0
      end
    end
  end
  if #page > 0 then pages[#pages + 1] = lines(page, #page) end
  return pages
end
local function forgetMessages(context, first, past)
  for start = first, past - 1, SLICE do
    local names = {}
    for i = start, math.min(start + SLICE - 1, past - 1) do names[#names + 1] = context .. '/' .. i end
    redis.call('HDEL', MESSAGES, unpack(names))
  end
end

-- Events whose numbers follow the last one; those that are there already are left out. The caller writes the head.
-- Returns the id of the last one, nil if none is new.
local function addEvents(batch, epoch, seq)
  local lines = {}
  local before = seq == 0 and (redis.call('HGET', HEAD, 'last') or '')
  for i = 1, batch.count do
    local n = batch.first + i - 1
    if n > seq then
      local line = text(batch.at + i - 1)
      local id = epoch .. '-' .. n
      if n == 1 then redis.call('XADD', EVENTS, 'MAXLEN', '~', a.maxEvents, id, 'e', line, 'p', before)
      else redis.call('XADD', EVENTS, 'MAXLEN', '~', a.maxEvents, id, 'e', line) end
      lines[#lines + 1] = line
    end
  end
  if #lines == 0 then return end
  local last = batch.first + batch.count - 1
  put('seq', last)
  put('last', epoch .. '-' .. last)
  redis.call('PEXPIRE', EVENTS, a.eventTtl)
  local first = last - #lines + 1
  local name = epoch .. '-' .. first .. (before and ' ' .. before or '')
  redis.call('PUBLISH', EVENTS, name .. '\n' .. table.concat(lines, '\n'))
  return epoch .. '-' .. last
end
