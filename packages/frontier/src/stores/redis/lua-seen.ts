// The set of fingerprints in Lua. Redis needs 8 bytes per member of a set of at most 512 whole numbers (`intset`), and
// some 70 of a larger one. So fingerprints are in buckets that stay small by linear hashing: for each 220 new
// fingerprints one bucket is split. Buckets that are not split yet have some 440, the others some 220. A split reads
// one bucket.

/** Lua, after `SHARD_LUA`. Fingerprints are 64 bits as decimal digits; their last 12 digits choose the bucket. */
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
