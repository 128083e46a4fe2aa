// The verbs that change no queue, in Lua. Each script runs after `SHARD_LUA`. `ServerFunction` says what those return
// that are named there.

import { SEEN_LUA } from './lua-commit.js';
import { HOST_LUA } from './lua-host.js';

export const READ_SCRIPTS = {
  due: `
checkServer(0)
saveCounts()
local first = call('ZRANGE', base .. 'due', 0, 0, 'WITHSCORES')[2]
return { { m.u > 0 and first and digits(math.max(0, tonumber(first) - now)) or false, since() } }
`,

  /** ARGV: now; the most hosts. */
  overdue: `
local found = call('ZRANGEBYSCORE', base .. 'due', '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local overdue = {}
for at = 2, #found, 2 do overdue[#overdue + 1] = { digits(now - tonumber(found[at])) } end
return overdue
`,

  clock: `
return { { digits(now) } }
`,

  stats: `
return { { m.u, m.i, m.k, m.n } }
`,

  /** ARGV: now; host. */
  readHost: `${HOST_LUA}
local r = load(ARGV[2])
if not r then return {} end
local at = call('ZSCORE', base .. 'due', r.key)
local dueIn = at and digits(math.max(0, tonumber(at) - now))
return { { call('HGET', base .. 's', r.n), r.q, r.i, r.l > 0 and 1 or 0, r.parked and 1 or 0, dueIn } }
`,

  /** ARGV: now; keys; delays. */
  reserve: `
local keys, delays, waits = cjson.decode(ARGV[2]), cjson.decode(ARGV[3]), {}
checkServer(0)
for at = 1, #keys do
  local key, delay = base .. 't' .. keys[at], delays[at]
  local start = math.max(now, tonumber(call('GET', key) or 0))
  if m.g > 0 then start = math.max(start, m.g + delay) end
  call('SET', key, start + delay, 'PX', math.ceil((start + delay - now) / 1000) + 60000)
  waits[at] = { digits(start - now) }
end
saveCounts()
return waits
`,

  /**
   * ARGV: now; the most entries; where to begin: number of a host or nothing, part of it, and two numbers for the place
   * in that; the only host or nothing. The parts of a host are its entries in flight (`0`), those that wait (`1`), and
   * each line (`2`, its rank, its lane).
   */
  scan: `${HOST_LUA}
local left, only = tonumber(ARGV[2]), ARGV[7] ~= '' and load(ARGV[7])
local number = only and only.n or tonumber(ARGV[3]) or 0
local part, first, second = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local last = only and only.n or m.n - 1
if ARGV[7] ~= '' and not only then return {} end
local rows = {}

-- The functions that follow list entries after a place, at least so many if there are more: entry, place, time.
local function inFlightAfter(r, order)
  local found, entries, orders = {}, inFlight(r)
  for at = 1, #entries do
    local one = orders[entries[at]]
    if one > order then found[#found + 1] = { entries[at], one, 0 } end
  end
  return found
end

local function waitingAfter(r, count, time, order)
  local found, from, page = {}, 0
  if r.w == 0 then return found end
  repeat
    page = call('ZRANGEBYSCORE', base .. 'w' .. r.n, time, '+inf', 'WITHSCORES', 'LIMIT', from, count)
    for at = 1, #page, 2 do
      local score, one = tonumber(page[at + 1]), struct.unpack('>I5', page[at])
      if score > time or one > order then found[#found + 1] = { page[at], score, one, score - now } end
    end
    from = from + count
  until #found >= count or #page < 2 * count
  return found
end

-- Orders grow along a line, so the first entry after one is searched for.
local function inLineAfter(r, name, count, order)
  local rank, lane, found = tonumber(string.sub(name, 2, 2)), string.sub(name, 3), {}
  local key, low, entries = line(r, rank, lane), 0
  if r.only and rank == r.onlyRank and lane == r.lane then
    entries = struct.unpack('>I5', r.only) > order and { r.only } or {}
  else
    local high = order > 0 and call('LLEN', key) or 0
    while low < high do
      local middle = math.floor((low + high) / 2)
      if struct.unpack('>I5', call('LINDEX', key, middle)) > order then high = middle else low = middle + 1 end
    end
    entries = call('LRANGE', key, low, low + count - 1)
  end
  for at = 1, #entries do found[at] = { entries[at], struct.unpack('>I5', entries[at]), 0 } end
  return found
end

local function partsOf(r)
  local parts, lanes = { '0', '1' }, {}
  if r.q > 0 then
    lanes = r.multi and call('SMEMBERS', base .. 'L' .. r.n) or {}
    lanes[#lanes + 1] = r.lane
  end
  for at = 1, #lanes do
    for rank = 0, 8 do
      if r.multi or math.floor(r.k / 2 ^ rank) % 2 == 1 then parts[#parts + 1] = '2' .. rank .. lanes[at] end
    end
  end
  table.sort(parts)
  return parts
end

local function entriesAfter(r, name)
  if name == '0' then return inFlightAfter(r, first) end
  if name == '1' then return waitingAfter(r, left + 1, first, second) end
  return inLineAfter(r, name, left + 1, first)
end

-- Lists the rest of a host. Returns whether all of it fitted.
local function scanHost(r)
  for _, name in ipairs(partsOf(r)) do
    if name > part then part, first, second = name, 0, 0 end
    if name == part then
      for _, found in ipairs(entriesAfter(r, name)) do
        if left == 0 then return false end
        rows[#rows + 1] = { r.key, { found[1] }, found[4] }
        left, first, second = left - 1, found[2], found[3]
      end
    end
  end
  return true
end

for _ = 1, 4 * left do
  if number > last then return rows end
  if not scanHost(only or load(call('LINDEX', base .. 'N' .. math.floor(number / 1024), number % 1024))) then break end
  number, part, first, second = number + 1, '0', 0, 0
  if left == 0 then break end
end
if number <= last then rows[#rows + 1] = { number, false, part, digits(first), digits(second) } end
return rows
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

  /** ARGV: now; number of the first host or nothing; the most hosts. */
  hosts: `${HOST_LUA}
local from, hosts = tonumber(ARGV[2]) or 0, {}
for number = from, math.min(m.n, from + ARGV[3]) - 1 do
  local r = load(call('LINDEX', base .. 'N' .. math.floor(number / 1024), number % 1024))
  local at = math.max(r.l > 0 and r.l + r.d or r.a, r.e < m.g and m.x + r.d or 0)
  local state = call('HGET', base .. 's', r.n)
  hosts[#hosts + 1] = { r.key, state, r.d, math.max(0, at - now), r.parked and 1 or 0, number + 1 }
end
return hosts
`,

  /** ARGV: now; number of the first bucket or nothing; the number of fingerprints. Whole buckets. */
  known: `
local bucket, limit, known = tonumber(ARGV[2]) or 0, tonumber(ARGV[3]), {}
while bucket < m.b and #known < limit do
  local members = call('SMEMBERS', base .. 'f' .. bucket)
  bucket = bucket + 1
  for at = 1, #members do known[#known + 1] = { members[at], bucket } end
end
return known
`,

  /** ARGV: now; fingerprint. */
  isKnown: `${SEEN_LUA}
return call('SISMEMBER', bucketOf(ARGV[2]), ARGV[2]) == 1 and { { 1 } } or {}
`,

  /** ARGV: now; fingerprints. */
  know: `${SEEN_LUA}
checkServer(0)
local known = cjson.decode(ARGV[2])
for at = 1, #known do m.k = m.k + call('SADD', bucketOf(known[at]), known[at]) end
splitBuckets()
saveCounts()
return {}
`,
};
