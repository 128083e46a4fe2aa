// `add` and `commit` in Lua: links first, then the hosts. One call is one atomic step (A2, C5, X3).

import { HOST_LUA } from './lua-host.js';

/**
 * Lua, after `SHARD_LUA`: the set of fingerprints. Redis needs 8 bytes per member of a set of at most 512 whole numbers
 * (`intset`), and about 70 in a larger set. So fingerprints are in buckets that linear hashing keeps small: for every
 * 220 new fingerprints one bucket is split. Unsplit buckets have about 440 members, the others about 220. A split reads
 * one bucket. Fingerprints are 64 bits as decimal digits; their last 12 digits choose the bucket.
 */
export const SEEN_LUA = `
local PER_BUCKET = 220
local MAX_SPLITS = 64
local span = 1
while span < m.b do span = span * 2 end

local function bucketOf(fingerprint)
  local hash = tonumber(string.sub(fingerprint, -12))
  local at = hash % span
  if at >= m.b then at = hash % (span / 2) end
  return base .. 'f' .. at
end

local function putAll(key, members)
  for from = 1, #members, 1000 do
    call('SADD', key, unpack(members, from, math.min(#members, from + 999)))
  end
end

local function splitBucket()
  local half = 1
  while half * 2 <= m.b do half = half * 2 end
  local from = base .. 'f' .. (m.b - half)
  local members, stay, move = call('SMEMBERS', from), {}, {}
  for at = 1, #members do
    local isMoved = tonumber(string.sub(members[at], -12)) % (half * 2) == m.b
    local side = isMoved and move or stay
    side[#side + 1] = members[at]
  end
  if #move > 0 then
    call('DEL', from)
    putAll(from, stay)
    putAll(base .. 'f' .. m.b, move)
  end
  m.b = m.b + 1
end

local function splitBuckets()
  local splits = 0
  while m.b * PER_BUCKET < m.k and splits < MAX_SPLITS do
    splitBucket()
    splits = splits + 1
  end
end
`;

/**
 * ARGV: now; the list of `commitValues`, and bytes. Returns `since`, the outcomes (one letter each), then a list per
 * host, `0` if the host is lost.
 */
export const COMMIT_SCRIPT = `${HOST_LUA}${SEEN_LUA}
local operation, most, links, hosts = unpack(cjson.decode(ARGV[2]))

local function add(key, fingerprint, priority, isDeduped, lane, wait, body)
  local bucket = bucketOf(fingerprint)
  if m.u >= most then
    if isDeduped and call('SISMEMBER', bucket, fingerprint) == 1 then return 'k' end
    return 'f'
  end
  if call('SADD', bucket, fingerprint) == 1 then m.k = m.k + 1 elseif isDeduped then return 'k' end
  local r = load(key) or create(key)
  touch(r)
  -- A leased or parked host is not made due (A3). Neither is one that is in the index already with entries to hand out.
  if not r.stands and r.l == 0 and not r.parked then
    if r.multi or r.k == 0 then r.toIndex = true else r.stands = true end
  end
  m.u, r.q = m.u + 1, r.q + 1
  place(r, nil, 0, priority, string.char(#lane) .. lane .. ARGV[body], wait == 0 and 0 or now + wait)
  return 'n'
end

local function addLinks()
  local outcomes = {}
  for at = 1, #links do outcomes[at] = add(unpack(links[at])) end
  for number = 1, #touched do
    local r = touched[number]
    if r.toIndex and not r.multi then index(r)
    elseif r.toIndex then
      -- A host with lanes may be in the index already, and then not later than now.
      local stands = call('ZSCORE', due, r.key)
      if not stands or tonumber(stands) > math.max(now, r.a) then index(r) end
    end
  end
  splitBuckets()
  return table.concat(outcomes)
end

local function requeue(r, id, priority, wait, body)
  local entry = call('HGET', base .. 'i' .. r.n, id)
  if not entry then return end
  call('HDEL', base .. 'i' .. r.n, id)
  r.i, m.i, r.q = r.i - 1, m.i - 1, r.q + 1
  local _, number, attempt, before = struct.unpack(ENTRY, entry)
  local rest = string.sub(entry, 13)
  if body then rest = string.sub(rest, 1, 1 + string.byte(rest, 1)) .. ARGV[body] end
  place(r, number, attempt, priority or before, rest, now + wait)
end

local function release(r, kind, inUs)
  -- A lease that was lost with the server's memory, and its release with it: the host waits as the others do.
  local notBefore = r.e < m.g and m.x + r.d or 0
  r.e = math.max(r.e + 1, now)
  endLease(r)
  r.a = math.max(notBefore, now + (kind == 'park' and r.d or inUs))
  r.parked = kind == 'park'
  r.z = operation
  index(r)
end

local function commitHost(key, token, done, requeued, state, delay, blocks, kind, us, want)
  local r = load(key)
  if not r or r.l == 0 or digits(r.e) ~= token then
    -- It ran before, and the answer was lost with its connection.
    return r and r.l == 0 and r.z == operation and {} or 0
  end
  touch(r)
  for from = 1, #done, MAX_ARGUMENTS do
    local gone = call('HDEL', base .. 'i' .. r.n, unpack(done, from, math.min(#done, from + MAX_ARGUMENTS - 1)))
    r.i, m.i, m.u = r.i - gone, m.i - gone, m.u - gone
  end
  for at = 1, #requeued do requeue(r, unpack(requeued[at])) end
  if state then call('HSET', base .. 's', r.n, ARGV[state]) end
  r.d = delay or r.d
  for at = 1, #blocks do block(r, blocks[at][1], now + blocks[at][2]) end
  if kind ~= 'keep' then
    release(r, kind, us)
    return {}
  end
  m.t = math.max(m.t, us)
  r.l = now + us
  index(r)
  return take(r, want)
end

checkServer(0)
local answer = { since(), addLinks() }
for at = 1, #hosts do answer[at + 2] = commitHost(unpack(hosts[at])) end
save()
return answer
`;
