// `add` and `commit` in Lua: links first, then the hosts. One call is one atom (A2, C5, X3).

/**
 * Lua, after the shard, the host and the fingerprints. ARGV: now; number of the operation; most unfinished; hosts of
 * links (count, names); links (count; each fingerprint, about, body); hosts (count; each as `values.ts` writes it).
 * Returns `since`, the outcomes, a letter each, then a list per host, `0` when lost.
 */
export const COMMIT_LUA = `
local at = 2
local function word()
  at = at + 1
  return ARGV[at - 1]
end
local operation, most = tonumber(word()), tonumber(word())

-- about: priority, whether deduped, number of the host, lane, microseconds to wait
local function add(hosts, fingerprint, about, body)
  local isDeduped = string.byte(about, 2) == 49
  local bucket = bucketOf(fingerprint)
  if m.u >= most then
    if isDeduped and call('SISMEMBER', bucket, fingerprint) == 1 then return 'k' end
    return 'f'
  end
  if call('SADD', bucket, fingerprint) == 1 then m.k = m.k + 1 elseif isDeduped then return 'k' end
  local priority, number, lane, wait = string.match(about, '^(%d)%d(%d+),([^,]*),(%d*)$')
  local key = hosts[tonumber(number)]
  local r = load(key) or create(key)
  touch(r)
  -- A leased or parked host is not made due (A3). Neither is one that is in the index already with entries to hand out.
  if not r.stands and r.l == 0 and not r.parked then
    if r.multi or r.k == 0 then r.toIndex = true else r.stands = true end
  end
  m.u, r.q = m.u + 1, r.q + 1
  place(r, nil, 0, tonumber(priority), string.char(#lane) .. lane .. body, wait == '' and 0 or now + tonumber(wait))
  return 'n'
end

local function addLinks()
  local hosts, outcomes = {}, {}
  for number = 1, tonumber(word()) do hosts[number] = word() end
  for number = 1, tonumber(word()) do
    outcomes[number] = add(hosts, ARGV[at], ARGV[at + 1], ARGV[at + 2])
    at = at + 3
  end
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
  if body then rest = string.sub(rest, 1, 1 + string.byte(rest, 1)) .. body end
  place(r, number, attempt, tonumber(priority) or before, rest, now + tonumber(wait))
end

local function skip()
  local ids = tonumber(word())
  at = at + ids
  local requeued = tonumber(word())
  at = at + 5 * requeued + 3
  local blocks = tonumber(word())
  at = at + 2 * blocks + 3
end

local function release(r, kind, inUs)
  -- A lease that was lost with the server's memory, and its release with it: the host waits as the others do.
  local notBefore = r.e < m.g and m.x + r.d or 0
  r.e = math.max(r.e + 1, now)
  endLease(r)
  r.a = math.max(notBefore, now + (kind == 'p' and r.d or tonumber(inUs)))
  if kind == 'p' then
    r.parked = true
    m.p = m.p + 1
  end
  r.z = operation
  index(r)
end

local function commitHost()
  local r, token = load(word()), word()
  if not r or r.l == 0 or string.format('%.0f', r.e) ~= token then
    skip()
    -- It ran before, and the answer was lost with its connection.
    return r and r.l == 0 and r.z == operation and {} or 0
  end
  touch(r)
  local ids = tonumber(word())
  for from = at, at + ids - 1, WORDS_MOST do
    local done = call('HDEL', base .. 'i' .. r.n, unpack(ARGV, from, math.min(at + ids, from + WORDS_MOST) - 1))
    r.i, m.i, m.u = r.i - done, m.i - done, m.u - done
  end
  at = at + ids
  for _ = 1, tonumber(word()) do
    local id, priority, wait, hasBody, body = word(), word(), word(), word(), word()
    requeue(r, id, priority, wait, hasBody == '1' and body)
  end
  local hasState, state, delay = word(), word(), word()
  if hasState == '1' then call('HSET', base .. 's', r.n, state) end
  if delay ~= '' then r.d = tonumber(delay) end
  for _ = 1, tonumber(word()) do
    local lane, us = word(), word()
    block(r, lane, now + tonumber(us))
  end
  local kind, first, second = word(), word(), word()
  if kind ~= 'k' then
    release(r, kind, first)
    return {}
  end
  m.t = math.max(m.t, tonumber(first))
  r.l = now + tonumber(first)
  index(r)
  return take(r, tonumber(second))
end

checkServer(0)
local answer = { since(), addLinks() }
for number = 1, tonumber(word()) do answer[number + 2] = commitHost() end
save()
return answer
`;

/**
 * Lua, after `SHARD_LUA`: the set of fingerprints. Redis needs 8 bytes per member of a set of at most 512 whole numbers
 * (`intset`), and some 70 of a larger one. So fingerprints are in buckets that stay small by linear hashing: for each
 * 220 new fingerprints one bucket is split. Buckets that are not split yet have some 440, the others some 220. A split
 * reads one bucket. Fingerprints are 64 bits as decimal digits; their last 12 digits choose the bucket.
 */
export const SEEN_LUA = `
local PER_BUCKET = 220
local SPLITS_MOST = 64
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
  while m.b * PER_BUCKET < m.k and splits < SPLITS_MOST do
    splitBucket()
    splits = splits + 1
  end
end
`;
