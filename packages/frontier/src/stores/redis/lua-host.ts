// One host queue in Lua: its record, its lines of entries, its lanes, and its place in the time index.
// `host-entries.ts` and `host-queues.ts` do the same in memory and explain it.
//
// Entry:   order (5 bytes), id (5), times handed out (1), priority (1), length of the lane (1), lane, body. Orders
//          increase along a line.
// Record:  fencing token, next allowed time, lease end, delay, flags, counter of orders and ids, queued, in flight,
//          waiting, ranks with entries, operation that released it, number, its first lane; and its entry, if it has
//          only one: most hosts of a large crawl have a URL or two, and a list of one costs 200 bytes. A host with
//          one lane has no keys for lanes.
// Rank:    0 for entries that a holder did not finish, otherwise 1 + priority.

/** Lua, after `SHARD_LUA`. */
export const HOST_LUA = `
local RECORD = '>I7I7I7I6BI5I4I2I3I2I4I5'
local ENTRY = '>I5I5BB'
local MAX_IN_FLIGHT = 60000
local MAX_QUEUED_AT_ONCE = 1000
local MAX_ONLY_BYTES = 512
local MAX_ARGUMENTS = 1000
local loaded, touched = {}, {}
-- What another server has forgotten may still be in flight: its ids are not given again.
local IDS_PER_SERVER = 2 ^ 28
local due = base .. 'due'

local function load(key)
  local r = loaded[key]
  if r then return r end
  local record = call('HGET', base .. 'h', key)
  if not record then return nil end
  local flags, at
  r = { key = key }
  r.e, r.a, r.l, r.d, flags, r.c, r.q, r.i, r.w, r.k, r.z, r.n, at = struct.unpack(RECORD, record)
  r.parked, r.multi, r.laned = flags % 2 == 1, math.floor(flags / 2) % 2 == 1, math.floor(flags / 4) % 2 == 1
  r.lane = string.sub(record, at + 1, at + string.byte(record, at))
  if flags >= 8 then
    at = at + 1 + #r.lane
    r.only, r.onlyRank = string.sub(record, at + 1), string.byte(record, at)
  end
  r.c = math.max(r.c, m.y * IDS_PER_SERVER)
  loaded[key] = r
  return r
end

local function create(key)
  local r = { key = key, e = 0, a = 0, l = 0, d = 0, c = m.y * IDS_PER_SERVER, q = 0, i = 0, w = 0, k = 0, z = 0, n = m.n,
    parked = false, multi = false, laned = false, lane = '' }
  call('RPUSH', base .. 'N' .. math.floor(m.n / 1024), key)
  m.n = m.n + 1
  loaded[key] = r
  return r
end

local function touch(r)
  if r.touched then return end
  r.touched = true
  touched[#touched + 1] = r
end

local function save()
  for at = 1, #touched do
    local r = touched[at]
    local flags = (r.parked and 1 or 0) + (r.multi and 2 or 0) + (r.laned and 4 or 0) + (r.only and 8 or 0)
    local record = struct.pack(RECORD, r.e, r.a, r.l, r.d, flags, r.c, r.q, r.i, r.w, r.k, r.z, r.n)
    record = record .. string.char(#r.lane) .. r.lane
    if r.only then record = record .. string.char(r.onlyRank) .. r.only end
    call('HSET', base .. 'h', r.key, record)
  end
  saveCounts()
end

local function line(r, rank, lane)
  if lane == r.lane then return base .. 'q' .. r.n .. ':' .. rank end
  -- The host's own lane has no name: with none its key would be that of \`r.lane\`.
  return base .. 'q' .. r.n .. ':' .. rank .. (lane == '' and '-' or lane)
end

-- Lists a line among the open ones, at the order of its first entry.
local function open(r, rank, lane)
  local head = call('LINDEX', line(r, rank, lane), 0)
  if head then
    call('ZADD', base .. 'o' .. r.n, rank * 2 ^ 41 + struct.unpack('>I5', head), rank .. lane)
  end
  return head
end

-- Moves the entry in the record to a line of its own.
local function spill(r)
  if not r.only then return end
  call('RPUSH', line(r, r.onlyRank, r.lane), r.only)
  r.only = nil
end

local function useLanes(r)
  if r.multi then return end
  r.multi = true
  spill(r)
  for rank = 0, 8 do open(r, rank, r.lane) end
end

local function enqueue(r, rank, entry)
  local lane = string.sub(entry, 14, 13 + string.byte(entry, 13))
  if not r.laned then
    r.laned, r.lane = true, lane
  elseif lane ~= r.lane then
    useLanes(r)
  end
  if not r.multi then
    if r.k == 0 and #entry <= MAX_ONLY_BYTES then
      r.only, r.onlyRank, r.k = entry, rank, 2 ^ rank
      return
    end
    if r.only and r.onlyRank == rank then spill(r) end
  end
  local length = call('RPUSH', line(r, rank, lane), entry)
  if length > 1 then return end
  if not r.multi then
    r.k = r.k + 2 ^ rank
    return
  end
  if lane ~= r.lane then call('SADD', base .. 'L' .. r.n, lane) end
  if not call('ZSCORE', base .. 'k' .. r.n, lane) then open(r, rank, lane) end
end

-- rest: length of the lane, lane, body.
local function place(r, id, attempt, priority, rest, readyAt)
  r.c = r.c + 1
  local entry = struct.pack(ENTRY, r.c, id or r.c, attempt, priority) .. rest
  if readyAt > now then
    call('ZADD', base .. 'w' .. r.n, readyAt, entry)
    r.w = r.w + 1
  else
    enqueue(r, priority + 1, entry)
  end
end

local function block(r, lane, untilAt)
  if not r.laned then r.laned, r.lane = true, lane end
  useLanes(r)
  if untilAt > now then
    call('ZADD', base .. 'k' .. r.n, untilAt, lane)
    for rank = 0, 8 do call('ZREM', base .. 'o' .. r.n, rank .. lane) end
  else
    call('ZREM', base .. 'k' .. r.n, lane)
    for rank = 0, 8 do open(r, rank, lane) end
  end
end

local function endBlocks(r)
  local lanes = call('ZRANGEBYSCORE', base .. 'k' .. r.n, '-inf', now)
  for at = 1, #lanes do block(r, lanes[at], 0) end
end

local function queueWaiting(r)
  local ready = call('ZRANGEBYSCORE', base .. 'w' .. r.n, '-inf', now, 'LIMIT', 0, MAX_QUEUED_AT_ONCE)
  for at = 1, #ready do
    local entry = ready[at]
    local _, id, attempt, priority = struct.unpack(ENTRY, entry)
    call('ZREM', base .. 'w' .. r.n, entry)
    r.c, r.w = r.c + 1, r.w - 1
    enqueue(r, priority + 1, struct.pack(ENTRY, r.c, id, attempt, priority) .. string.sub(entry, 13))
  end
end

-- When the host's earliest entry can be handed out; nil when none is queued. Never too late.
local function readyAt(r)
  if r.q == 0 then return nil end
  if r.multi then endBlocks(r) end
  if r.w > 0 then queueWaiting(r) end
  if not r.multi then
    if r.k > 0 then return now end
  elseif call('EXISTS', base .. 'o' .. r.n) == 1 then
    return now
  end
  local waits = call('ZRANGE', base .. 'w' .. r.n, 0, 0, 'WITHSCORES')[2]
  local blocked = r.multi and call('ZRANGE', base .. 'k' .. r.n, 0, 0, 'WITHSCORES')[2]
  return math.min(tonumber(waits or math.huge), tonumber(blocked or math.huge))
end

local function index(r)
  if r.l > 0 then
    call('ZADD', due, r.l + r.d, r.key)
    return
  end
  local at = not r.parked and readyAt(r)
  if at then call('ZADD', due, math.max(r.a, at), r.key) else call('ZREM', due, r.key) end
end

local function popLine(r, count, taken)
  for rank = 0, 8 do
    if #taken >= count then return end
    if r.only and r.onlyRank == rank then
      taken[#taken + 1] = r.only
      r.only, r.k = nil, r.k - 2 ^ rank
    elseif math.floor(r.k / 2 ^ rank) % 2 == 1 then
      local key = line(r, rank, r.lane)
      local got = call('LPOP', key, count - #taken) or {}
      for at = 1, #got do taken[#taken + 1] = got[at] end
      if #taken < count or call('EXISTS', key) == 0 then r.k = r.k - 2 ^ rank end
    end
  end
end

local function popLanes(r, count, taken)
  while #taken < count do
    local top = call('ZRANGE', base .. 'o' .. r.n, 0, 0)[1]
    if not top then return end
    local rank, lane = tonumber(string.sub(top, 1, 1)), string.sub(top, 2)
    taken[#taken + 1] = call('LPOP', line(r, rank, lane))
    if not open(r, rank, lane) then call('ZREM', base .. 'o' .. r.n, top) end
  end
end

-- Hands out up to so many entries. In flight, their order is that in which they were handed out.
local function take(r, count)
  local taken = {}
  count = math.min(count, MAX_IN_FLIGHT - r.i)
  if count <= 0 or not readyAt(r) then return taken end
  if r.multi then popLanes(r, count, taken) else popLine(r, count, taken) end
  local inFlight = {}
  for at = 1, #taken do
    local _, id, attempt, priority = struct.unpack(ENTRY, taken[at])
    r.c = r.c + 1
    inFlight[#inFlight + 1] = digits(id)
    inFlight[#inFlight + 1] = struct.pack(ENTRY, r.c, id, math.min(255, attempt + 1), priority) .. string.sub(taken[at], 13)
    if #inFlight >= MAX_ARGUMENTS or at == #taken then
      call('HSET', base .. 'i' .. r.n, unpack(inFlight))
      inFlight = {}
    end
  end
  r.q, r.i, m.i = r.q - #taken, r.i + #taken, m.i + #taken
  return taken
end

-- The entries in flight, in the order in which they were handed out.
local function inFlight(r)
  if r.i == 0 then return {}, {} end
  local entries, orders = call('HVALS', base .. 'i' .. r.n), {}
  for at = 1, #entries do orders[entries[at]] = struct.unpack('>I5', entries[at]) end
  table.sort(entries, function(a, b) return orders[a] < orders[b] end)
  return entries, orders
end

local function endLease(r)
  local entries = inFlight(r)
  if #entries > 0 then call('DEL', base .. 'i' .. r.n) end
  for at = 1, #entries do enqueue(r, 0, entries[at]) end
  m.i = m.i - r.i
  r.q, r.i, r.l = r.q + r.i, 0, 0
end
`;
