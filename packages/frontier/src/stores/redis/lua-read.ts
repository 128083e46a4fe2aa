// The verbs that change no queue, in Lua. Each script runs after `SHARD_LUA`.

import { SEEN_LUA } from './lua-commit.js';
import { HOST_LUA } from './lua-host.js';

export const READ_SCRIPTS = {
  /** Returns `since`, and microseconds until the first host is due, or nothing. */
  due: `
checkServer(0)
saveCounts()
local first = call('ZRANGE', base .. 'due', 0, 0, 'WITHSCORES')[2]
if m.u == 0 or not first then return { since(), false } end
return { since(), string.format('%.0f', math.max(0, tonumber(first) - now)) }
`,

  /** ARGV: now; the most hosts. Returns for how long hosts have been due, microseconds, longest first. */
  late: `
local found = call('ZRANGEBYSCORE', base .. 'due', '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local late = {}
for at = 2, #found, 2 do late[#late + 1] = string.format('%.0f', now - tonumber(found[at])) end
return late
`,

  /** Returns the clock's time, microseconds. */
  clock: `
return string.format('%.0f', now)
`,

  /** Returns unfinished, in flight, known, hosts. */
  stats: `
return { m.u, m.i, m.k, m.n }
`,

  /** ARGV: now; host. */
  readHost: `${HOST_LUA}
local r = load(ARGV[2])
if not r then return false end
local at = call('ZSCORE', base .. 'due', r.key)
local inUs = at and string.format('%.0f', math.max(0, tonumber(at) - now))
return { call('HGET', base .. 's', r.n), r.q, r.i, r.l > 0 and 1 or 0, r.parked and 1 or 0, inUs }
`,

  /** ARGV: now; then key and delay of each slot. Returns microseconds to wait. */
  reserve: `
local waits = {}
checkServer(0)
for at = 2, #ARGV, 2 do
  local key, delay = base .. 't' .. ARGV[at], tonumber(ARGV[at + 1])
  local start = math.max(now, tonumber(call('GET', key) or 0))
  if m.g > 0 then start = math.max(start, m.g + delay) end
  call('SET', key, start + delay, 'PX', math.ceil((start + delay - now) / 1000) + 60000)
  waits[#waits + 1] = string.format('%.0f', start - now)
end
saveCounts()
return waits
`,

  /**
   * ARGV: now; the most entries; host number, phase, two values for the place in it; the only host or nothing. Returns
   * where to continue (nothing at the end), then a list of hosts and entries in turn.
   */
  scan: `${HOST_LUA}
local limit, number, phase, first, second = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6]
local last, only = m.n - 1, ARGV[7] ~= '' and ARGV[7]
local items = {}
if only then
  local r = load(only)
  if not r then return { false, {} } end
  number, last = r.n, r.n
end

local function left() return limit - #items / 3 end
local function put(key, entry, waits)
  items[#items + 1] = key
  items[#items + 1] = entry
  items[#items + 1] = waits or 0
end

-- Each phase lists as many entries as fit, notes where it stopped, and returns whether it reached its end.
local function scanInFlight(r)
  local after = tonumber(first)
  local entries, orders = inFlight(r)
  for at = 1, #entries do
    local order = orders[entries[at]]
    if order > after then
      if left() == 0 then return false end
      put(r.key, entries[at])
      first = tostring(order)
    end
  end
  return true
end

local function scanWaiting(r)
  if r.w == 0 then return true end
  local from, skipped = 0, { tonumber(first), tonumber(second) }
  while true do
    local found = call('ZRANGEBYSCORE', base .. 'w' .. r.n, skipped[1], '+inf', 'WITHSCORES', 'LIMIT', from, limit + 1)
    for at = 1, #found, 2 do
      local score, order = tonumber(found[at + 1]), struct.unpack('>I5', found[at])
      if score > skipped[1] or order > skipped[2] then
        if left() == 0 then return false end
        put(r.key, found[at], score - now)
        first, second = string.format('%.0f', score), tostring(order)
      end
    end
    if #found < 2 * (limit + 1) then return true end
    from = from + limit + 1
  end
end

-- The index of the first entry of a line after an order. Orders grow along it.
local function indexAfter(key, order)
  local low, high = 0, call('LLEN', key)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if struct.unpack('>I5', call('LINDEX', key, middle)) > order then high = middle else low = middle + 1 end
  end
  return low
end

-- The entries of a line after an order, up to a number. The only entry of a host may be in its record.
local function entriesAfter(r, rank, lane, order, count)
  if r.only and lane == r.lane and tonumber(rank) == r.onlyRank then
    return struct.unpack('>I5', r.only) > order and { r.only } or {}
  end
  local key = line(r, rank, lane)
  local from = order > 0 and indexAfter(key, order) or 0
  return call('LRANGE', key, from, from + count - 1)
end

local function scanLines(r)
  local lines = {}
  local lanes = r.multi and call('SMEMBERS', base .. 'L' .. r.n) or {}
  lanes[#lanes + 1] = r.lane
  for at = 1, #lanes do
    for rank = 0, 8 do lines[#lines + 1] = rank .. lanes[at] end
  end
  table.sort(lines)
  for at = 1, #lines do
    if lines[at] >= first then
      local order = lines[at] == first and tonumber(second) or 0
      local found = entriesAfter(r, string.sub(lines[at], 1, 1), string.sub(lines[at], 2), order, left() + 1)
      for place = 1, #found do
        if left() == 0 then return false end
        put(r.key, found[place])
        first, second = lines[at], tostring((struct.unpack('>I5', found[place])))
      end
    end
  end
  return true
end

local steps = limit * 4
while number <= last and steps > 0 do
  steps = steps - 1
  local key = only or call('LINDEX', base .. 'N' .. math.floor(number / 1024), number % 1024)
  local r = load(key)
  if phase == 'i' then
    if not scanInFlight(r) then break end
    phase, first, second = 'w', '0', '0'
  end
  if phase == 'w' then
    if not scanWaiting(r) then break end
    phase, first, second = 'l', '-', '0'
  end
  if r.q > 0 and not scanLines(r) then break end
  number, phase, first, second = number + 1, 'i', '0', '0'
  if left() == 0 then break end
end
local cursor = number <= last and { tostring(number), phase, first, second }
return { cursor, items }
`,

  /** Returns what INFO says about the server, its memory, persistence and replicas. */
  settings: `
return call('INFO', 'server') .. call('INFO', 'memory') .. call('INFO', 'persistence') .. call('INFO', 'replication')
`,

  /**
   * ARGV: now; cursor of SCAN; pattern of the shard's keys. Removes the keys of one step, the counts included, so that
   * a later request for the crawl finds none. Returns the next cursor, `0` at the end.
   */
  destroy: `
local step = call('SCAN', ARGV[2], 'MATCH', ARGV[3], 'COUNT', 1000)
if #step[2] > 0 then call('UNLINK', unpack(step[2])) end
return step[1]
`,

  /**
   * ARGV: now; number of the first host; the most hosts. Returns for each its name, its state, delay, microseconds to
   * wait, whether it is parked; then the number of the next host, or nothing.
   */
  hosts: `${HOST_LUA}
local from, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local hosts = {}
for number = from, math.min(m.n, from + limit) - 1 do
  local r = load(call('LINDEX', base .. 'N' .. math.floor(number / 1024), number % 1024))
  local at = math.max(r.l > 0 and r.l + r.d or r.a, r.e < m.g and m.x + r.d or 0)
  hosts[#hosts + 1] = { r.key, call('HGET', base .. 's', r.n), r.d, math.max(0, at - now), r.parked and 1 or 0 }
end
return { hosts, from + limit < m.n and from + limit }
`,

  /** ARGV: now; number of the first bucket; number of buckets. Returns fingerprints, and the next bucket. */
  known: `
local from, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local known = {}
for bucket = from, math.min(m.b, from + limit) - 1 do
  local members = call('SMEMBERS', base .. 'f' .. bucket)
  for at = 1, #members do known[#known + 1] = members[at] end
end
return { known, from + limit < m.b and from + limit }
`,

  /** ARGV: now; fingerprints. */
  know: `${SEEN_LUA}
checkServer(0)
for at = 2, #ARGV do m.k = m.k + call('SADD', bucketOf(ARGV[at]), ARGV[at]) end
splitBuckets()
saveCounts()
`,
};
