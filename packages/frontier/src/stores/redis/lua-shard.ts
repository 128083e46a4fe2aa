// The beginning of every script: the shard's clock, its counts, and whether the server is still the same.
// Times are microseconds of the server's TIME.
//
// Keys of a shard, all with its hash tag (`base`):
//   m      counts and generation       h   host → record           due  the time index: host → time
//   f<b>   fingerprints, a bucket      s   number → host's state   N<c> host names by number, 1,024 a list
//   q<n>:… lines of entries of host n  i<n> entries in flight      w<n> entries that wait for their time
//   o<n>, k<n>, L<n>   only if a host has several lanes: open lines, blocked lanes, lanes
//   r<key> records, n their keys       t<key> reserved slots       -   never exists        W  for `waitForReplicas`
//
// Scripts name two keys, `m` and `-`: while a slot migrates, both sides answer TRYAGAIN to a command with a missing
// key, so that no script ever runs on half a shard.

/**
 * Lua. A restart or a failover gives the server another replication id. The latest answers may be lost then, leases
 * included. So nothing is granted before the longest lease that may be lost has ended and the host's delay has passed.
 * Clients learn of it from `since()`. ARGV[1]: the clock or nothing, and the last `since` that the client received or
 * nothing. For a client that has received one, an empty server is not a new crawl.
 */
export const SHARD_LUA = `
local call = redis.call
local base = string.sub(KEYS[1], 1, -2)
local clock, seen = string.match(ARGV[1], '^(%d*),(%d*)$')
local now = tonumber(clock)
if not now then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
local COUNTS = {'u', 'i', 'k', 'b', 'n', 'g', 'x', 't', 'y'}
local kept = call('HMGET', KEYS[1], 'u', 'i', 'k', 'b', 'n', 'g', 'x', 't', 'y', 'v')
-- u unfinished, i in flight, k known, b buckets, n hosts,
-- g when the present server was first seen, x end of the leases that may be lost, t longest lease,
-- y how often another server was seen
local m, was = {}, {}
for at = 1, #COUNTS do
  local count = tonumber(kept[at] or 0)
  if not (count and count >= 0 and count < 2 ^ 53 and count % 1 == 0) then return redis.error_reply('DAMAGED counts') end
  m[COUNTS[at]], was[COUNTS[at]] = count, count
end
if m.b == 0 then m.b = 1 end
-- A bucket for every 220 fingerprints: loops over buckets end.
if m.b > 1 + m.k / 200 then return redis.error_reply('DAMAGED counts') end
if seen ~= '' and not kept[10] then return redis.error_reply('EMPTIED') end

local function saveCounts()
  local changed = {}
  for at = 1, #COUNTS do
    local name = COUNTS[at]
    if m[name] ~= was[name] then
      changed[#changed + 1] = name
      changed[#changed + 1] = m[name]
    end
  end
  if #changed > 0 then call('HSET', KEYS[1], unpack(changed)) end
end

local function seeAnother(ttl)
  m.g = now
  m.x = now + math.max(m.t, ttl)
  m.y = m.y + 1
end

local function checkServer(ttl)
  local id = string.match(call('INFO', 'replication'), 'master_replid:(%w+)') or '?'
  if id == kept[10] then return end
  if kept[10] then seeAnother(ttl) end
  call('HSET', KEYS[1], 'v', id)
end

local function digits(number) return string.format('%.0f', number) end
local function since() return digits(m.g) end
`;
