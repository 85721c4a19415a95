// Written by `npm run build` from src/state/lua, where each script says what it takes and gives: do not edit.

const COMMON = `local a = cjson.decode(ARGV[1])
local function text(n) return ARGV[n] end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function integer(n) return string.format('%.0f', n) end
`

const CLAIM = `${COMMON}
local known = redis.call('GET', KEYS[1])
if known then return {'known', known} end
redis.call('SET', KEYS[1], text(a.value), 'PX', a.ttl)
return {'fresh'}
`

const INDEX = `${COMMON}
local key = KEYS[1]
if a.change == 'put' then
  for _, use in ipairs(a.uses) do redis.call('ZADD', key, integer(now + a.after - use[2]), use[1]) end
elseif a.change == 'drop' then
  redis.call('ZREM', key, unpack(a.ids))
elseif a.change == 'due' then
  local ids = redis.call('ZRANGEBYSCORE', key, '-inf', integer(now), 'LIMIT', 0, a.limit)
  for _, id in ipairs(ids) do redis.call('ZADD', key, integer(now + a.after), id) end
  return {'ok', ids}
else
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. integer(now))
  local start = 0
  if a.id then
    local rank = redis.call('ZREVRANK', key, a.id)
    if rank and redis.call('ZSCORE', key, a.id) == a.score then start = rank + 1
    else start = redis.call('ZCOUNT', key, a.score, '+inf') end
  end
  return {'ok', redis.call('ZCARD', key), redis.call('ZREVRANGE', key, start, start + a.limit - 1, 'WITHSCORES')}
end
if a.ttl then redis.call('PEXPIRE', key, a.ttl) end
return {'ok', integer(now)}
`

const PROBE = `${COMMON}
redis.call('SET', KEYS[1], integer(now), 'PX', 1000)
redis.call('PUBLISH', KEYS[1], '')
return {'ok'}
`

const RECORD = `${COMMON}
local SLICE = 1000
local PAGE = 65536
local HEAD, MESSAGES, MEMORY, TURNS, APPROVALS, CLAIMS, ENTRIES, EVENTS = unpack(KEYS)
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
local function keep()
  local ttl = a.ttl or 0
  if ttl == 0 then ttl = redis.call('PTTL', HEAD) end
  if ttl > 0 then
    for i = 1, 7 do redis.call('PEXPIRE', KEYS[i], ttl) end
  end
end
local function keepTouched(touched)
  local ttl = a.ttl
  if ttl == 0 then ttl = redis.call('PTTL', HEAD) end
  if ttl > 0 then
    for _, key in ipairs(touched) do redis.call('PEXPIRE', key, ttl) end
  end
end
local changes = {}
local function put(name, value)
  changes[#changes + 1] = name
  changes[#changes + 1] = value
end
local function write() redis.call('HSET', HEAD, unpack(changes)) end
local function setAll(key, fields)
  for start = 1, #fields, 2 * SLICE do
    redis.call('HSET', key, unpack(fields, start, math.min(start + 2 * SLICE - 1, #fields)))
  end
end
local function lines(texts, count)
  for i = 1, count do texts[i] = texts[i] or '' end
  return table.concat(texts, '\\n', 1, count)
end
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
local FIELDS = {'status', 'context', 'input', 'state', 'result', 'at', 'ended', 'from', 'to'}
local function turnOf(n)
  local names = {}
  for i, field in ipairs(FIELDS) do names[i] = n .. ':' .. field end
  local values = redis.call('HMGET', TURNS, unpack(names))
  values[#FIELDS + 1] = n
  return lines(values, #FIELDS + 1), values[2]
end
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
  redis.call('PUBLISH', EVENTS, name .. '\\n' .. table.concat(lines, '\\n'))
  return epoch .. '-' .. last
end
`

const BEGIN = `${RECORD}
local CLAIMS_BETWEEN_SWEEPS = 32
local LOOKED_THROUGH = 16
local MARK = string.sub(a.by, 1, 13)
local head, refusal, flat = load()
if not head then return refusal end
local UNREAD = {v = true, made = true, by = true, n = true, seq = true, last = true, size = true}
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
  if taken > 0 or head.taken then
    for _, value in ipairs({'taken', taken, 'idle', integer(idle)}) do changes[#changes + 1] = value end
  end
  write()
  redis.call('HSET', TURNS, head.turn .. ':status', 'running', unpack(opening))
  redis.call('HSETNX', TURNS, head.turn .. ':from', epoch .. '-1')
  keep()
  return begun()
end
local function forgetClaims()
  if redis.call('HLEN', CLAIMS) % CLAIMS_BETWEEN_SWEEPS ~= CLAIMS_BETWEEN_SWEEPS - 1 then return end
  local flat = redis.call('HGETALL', CLAIMS)
  for i = 1, #flat, 2 do
    local at = string.match(flat[i + 1], '^%d+ (%d+) ')
    if now - tonumber(at) >= a.claimTtl then redis.call('HDEL', CLAIMS, flat[i]) end
  end
end
local function begunBefore()
  local last = tonumber(head.turn)
  for turn = last, math.max(1, last - LOOKED_THROUGH + 1), -1 do
    if redis.call('HGET', TURNS, turn .. ':by') == MARK then return turn end
  end
end
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
`

const CANCEL = `${RECORD}
local head, refusal = load()
if not head then return refusal end
local turn = a.turn and tostring(a.turn) or head.turn
if turn == '0' or tonumber(turn) > tonumber(head.turn) then return {'no_turn'} end
if not head.open or turn ~= head.turn then
  return {'ok', 'ended', turn, redis.call('HGET', TURNS, turn .. ':status')}
end
redis.call('HSET', HEAD, 'cancel', turn)
if head.open ~= 'running' or not leased(head) then return {'ok', 'unattended', turn, head.open} end
redis.call('PUBLISH', a.channel, a.kind .. ' ' .. a.id .. ' ' .. turn)
return {'ok', 'requested', turn, head.open}
`

const CHAIN = `${RECORD}
local head, refusal = load()
if not head then return refusal end
local base = string.sub(HEAD, 1, #HEAD - #a.rest)
local found = {}
local rest = a.rest
while #found < a.limit do
  local key = base .. rest
  local kept = redis.call('HMGET', key, 'owner', 'parent')
  if kept[1] ~= head.owner then break end
  local turn = redis.call('HMGET', key .. ':turns', '1:status', '1:input', '1:result')
  found[#found + 1] = {a.root .. rest, turn[1], turn[2], turn[3]}
  if a.ttl > 0 then
    redis.call('PEXPIRE', key, a.ttl)
    redis.call('PEXPIRE', key .. ':turns', a.ttl)
  end
  if not kept[2] then return {'ok', found, ''} end
  if string.sub(kept[2], 1, #a.root) ~= a.root then return {'ok', found, kept[2]} end
  rest = string.sub(kept[2], #a.root + 1)
end
return {'ok', found, a.root .. rest}
`

const CREATE = `${RECORD}
local made = redis.call('HMGET', HEAD, 'made', 'owner')
if made[1] then
  if made[1] == a.token and made[2] == a.owner then return view() end
  return {'exists'}
end
redis.call('UNLINK', unpack(KEYS))
redis.call('HSET', HEAD, 'v', a.v, 'owner', a.owner, 'made', a.token, 'createdAt', integer(now), 'epoch', 0,
  'turn', 0, 'ctx', 'main', 'head', text(a.head), 'x:main', text(a.context), 'c:main', 0)
if a.parent then redis.call('HSET', HEAD, 'parent', a.parent) end
if a.input then
  redis.call('HSET', TURNS, '1:status', 'queued', '1:context', 'main', '1:input', text(a.input), '1:at', integer(now))
  redis.call('HSET', HEAD, 'turn', 1, 'open', 'queued', 'size', #text(a.input))
end
keep()
return view()
`

const CREATEBEGUN = `${RECORD}
local made = redis.call('HMGET', HEAD, 'made', 'owner', 'by')
if made[1] then
  if made[1] == a.token and made[2] == a.owner and made[3] == a.by then return view() end
  return {'exists'}
end
local epoch = integer(tonumber(time[1]))
changes = {'v', a.v, 'owner', a.owner, 'made', a.token, 'createdAt', integer(now), 'epoch', epoch, 'by', a.by,
  'grant', 'resumed', 'open', 'running', 'n', 0, 'seq', 0, 'turn', 1, 'lease', integer(now + a.lease),
  'size', #text(a.input), 'ctx', 'main', 'head', text(a.head), 'x:main', text(a.context), 'c:main', 0}
if a.parent then put('parent', a.parent) end
redis.call('UNLINK', unpack(KEYS, 1, 8))
write()
redis.call('HSET', TURNS, '1:status', 'running', '1:context', 'main', '1:input', text(a.input), '1:at', integer(now),
  '1:from', epoch .. '-1')
if a.entry then
  redis.call('ZADD', KEYS[9], integer(now + a.lease), text(a.entry))
  redis.call('PEXPIRE', KEYS[9], a.keepOpen)
end
keep()
return view()
`

const DECIDE = `${RECORD}
local head, refusal = load()
if not head then return refusal end
local found = redis.call('HMGET', APPROVALS, a.id, a.id .. '#status', a.id .. '#decision')
if not found[1] then return {'no_approval'} end
if found[2] == 'pending' then
  redis.call('HSET', APPROVALS, a.id .. '#status', a.status, a.id .. '#decision', text(a.decision))
elseif found[2] ~= a.status or found[3] ~= text(a.decision) then
  return {'decided', found[2]}
end
local flat = redis.call('HGETALL', APPROVALS)
local pending = 0
for i = 1, #flat, 2 do
  if string.sub(flat[i], -7) == '#status' and flat[i + 1] == 'pending' then pending = pending + 1 end
end
return {'ok', pending, found[1]}
`

const EDIT = `${RECORD}
local head, refusal = load()
if not head then return refusal end
if head.open then return busyReply(head) end
local info = a.context and 'x:' .. a.context
if a.change == 'head' then
  redis.call('HSET', HEAD, 'head', text(a.head))
elseif a.change == 'remove' then
  redis.call('UNLINK', unpack(KEYS))
  redis.call('PUBLISH', EVENTS, '')
  return {'ok'}
elseif a.change == 'create' then
  if head[info] then
    if head[info] ~= text(a.info) then return {'exists'} end
  else
    local count = 0
    for name in pairs(head) do
      if string.sub(name, 1, 2) == 'x:' then count = count + 1 end
    end
    if count >= a.most then return {'limit'} end
    redis.call('HSET', HEAD, info, text(a.info), 'c:' .. a.context, 0)
  end
elseif not head[info] then
  if a.change == 'destroy' and a.again then return view() end
  return {'no_context'}
elseif a.change == 'update' then
  redis.call('HSET', HEAD, info, text(a.info))
elseif a.change == 'switch' then
  redis.call('HSET', HEAD, 'ctx', a.context)
else
  if head.ctx == a.context then return {'active'} end
  forgetMessages(a.context, 0, tonumber(head['c:' .. a.context]))
  redis.call('HDEL', HEAD, info, 'c:' .. a.context, 'b:' .. a.context)
end
keep()
return view()
`

const LEASE = `${RECORD}
local held = redis.call('HMGET', HEAD, 'epoch', 'by', 'open', 'n', 'seq', 'turn', 'cancel', 'v', 'size', 'lease')
local function fenced()
  return not held[1] or tonumber(held[1]) ~= a.epoch or held[2] ~= a.by or held[3] ~= 'running'
end
local function confirmed() return {'ok', held[7] == held[6] and 1 or 0} end
local function extend() put('lease', integer(now + a.lease)) end
`

const RANGE = `${RECORD}
local head = redis.call('HMGET', HEAD, 'owner', 'last')
if not head[1] or (a.owner and a.owner ~= head[1]) then return {'missing'} end
return {'ok', head[2] or '', redis.call('XRANGE', EVENTS, a.from, '+', 'COUNT', a.count)}
`

const READ = `${RECORD}
local head, refusal = load()
if not head then return refusal end
if a.part == 'turn' then
  if redis.call('HEXISTS', TURNS, a.turn .. ':status') == 0 then return {'no_turn'} end
  return {'ok', (turnOf(tostring(a.turn)))}
end
if a.part == 'messages' then
  local context = a.context or head.ctx
  if not head['x:' .. context] then return {'no_context'} end
  local total = tonumber(head['c:' .. context])
  local first = math.min(a.from, total)
  local past = math.min(total, first + (a.limit or total))
  return {'ok', {first, total, messagesOf(context, first, past)}}
end
if a.part == 'memory' then return {'ok', redis.call('HGETALL', MEMORY)} end
if a.part == 'approvals' then return {'ok', redis.call('HGETALL', APPROVALS)} end
if a.part == 'entries' then return {'ok', redis.call('HGETALL', ENTRIES)} end
return view()
`

const REMEMBER = `${RECORD}
local head, refusal = load()
if not head then return refusal end
if a.whenIdle and head.open then return busyReply(head) end
if a.change == 'clear' then
  redis.call('UNLINK', MEMORY)
elseif a.change == 'delete' then
  if redis.call('HDEL', MEMORY, text(a.key)) == 0 and not a.again then return {'no_memory'} end
else
  if redis.call('HLEN', MEMORY) >= a.most and redis.call('HEXISTS', MEMORY, text(a.key)) == 0 then return {'limit'} end
  redis.call('HSET', MEMORY, text(a.key), text(a.value))
end
keep()
return {'ok'}
`

const APPEND = `${LEASE}
if fenced() then return {'fenced'} end
local seq = tonumber(held[5])
if a.events.first > seq + 1 then return {'fenced'} end
addEvents(a.events, held[1], seq)
if #changes > 0 then write() end
return {'ok'}
`

const COMMIT = `${LEASE}
if fenced() then
  if held[1] and tonumber(held[1]) == a.epoch and tonumber(held[4]) >= a.n and (a.ends or a.release) then
    return confirmed()
  end
  return {'fenced'}
end
if a.n <= tonumber(held[4]) then return confirmed() end
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
`

const RENEW = `${LEASE}
if fenced() or tonumber(held[4]) < a.n then return {'fenced'} end
extend()
write()
return confirmed()
`

/** Every script by its name, with the number of its keys. */
export const SCRIPTS = {
  append: { keys: 8, lua: APPEND },
  begin: { keys: 9, lua: BEGIN },
  cancel: { keys: 8, lua: CANCEL },
  chain: { keys: 8, lua: CHAIN },
  claim: { keys: 1, lua: CLAIM },
  commit: { keys: 8, lua: COMMIT },
  create: { keys: 8, lua: CREATE },
  createBegun: { keys: 9, lua: CREATEBEGUN },
  decide: { keys: 8, lua: DECIDE },
  edit: { keys: 8, lua: EDIT },
  index: { keys: 1, lua: INDEX },
  probe: { keys: 1, lua: PROBE },
  range: { keys: 8, lua: RANGE },
  read: { keys: 8, lua: READ },
  remember: { keys: 8, lua: REMEMBER },
  renew: { keys: 8, lua: RENEW },
} as const

/** The name of a script. */
export type ScriptName = keyof typeof SCRIPTS
