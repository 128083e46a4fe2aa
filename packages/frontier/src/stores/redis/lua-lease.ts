// `lease` and `wake` in Lua, and waits that the server may have forgotten.

import { HOST_LUA } from './lua-host.js';

export const LEASE_SCRIPTS = {
  /**
   * ARGV: now; the most hosts; the most entries of each; ttl; delay; the latest time that the clock may have, nothing,
   * or -1 for a clock that was set forward; names, or nothing.
   */
  lease: `${HOST_LUA}
local maxHosts, perHost, ttl, delay = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local leases = {}
local isRefused = false
-- Hosts that turn out to wait are skipped, but only so many.
local checks = 2 * maxHosts + 64

local function endLapsedLease(r)
  if r.l == 0 then return end
  r.a = r.l + r.d
  endLease(r)
end

-- Another server than before: another holder may still send requests by a lease that was lost.
local function waitsForTheLost(r)
  if r.e >= m.g then return false end
  local notBefore = m.x + math.max(r.d, delay)
  if notBefore <= now then return false end
  endLapsedLease(r)
  r.a = math.max(r.a, notBefore)
  touch(r)
  index(r)
  return true
end

local function grant(r)
  touch(r)
  r.e = math.max(r.e + 1, now)
  r.d = math.max(r.d, delay)
  r.l = now + ttl
  index(r)
  local entries = take(r, perHost)
  leases[#leases + 1] = { r.key, digits(r.e), call('HGET', base .. 's', r.n), r.q, entries }
end

local function leaseDue()
  while #leases < maxHosts and checks > 0 do
    local found = call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, math.min(checks, maxHosts - #leases))
    if #found == 0 then return end
    for at = 1, #found do
      checks = checks - 1
      local r = load(found[at])
      if not waitsForTheLost(r) then
        endLapsedLease(r)
        local ready = readyAt(r)
        if ready and ready <= now then
          grant(r)
        else
          touch(r)
          index(r)
        end
      end
    end
  end
end

local function leaseNamed()
  local names = cjson.decode(ARGV[7])
  for at = 1, #names do
    if #leases >= maxHosts then return end
    local r = load(names[at]) or create(names[at])
    touch(r)
    local allowedAt = r.l > 0 and r.l + r.d or r.a
    if not r.parked and allowedAt <= now and not waitsForTheLost(r) then
      endLapsedLease(r)
      grant(r)
    end
  end
end

checkServer(ttl)
m.t = math.max(m.t, ttl)
local latest = tonumber(ARGV[6])
if latest == -1 then seeAnother(ttl)
elseif latest and now > latest then isRefused = true
elseif ARGV[7] ~= '' then leaseNamed()
else leaseDue() end
save()
return { { digits(now), since(), false, isRefused and -1 or 0 }, unpack(leases) }
`,

  /** ARGV: now; host. */
  wake: `${HOST_LUA}
local r = load(ARGV[2])
if r and r.parked then
  r.parked = false
  touch(r)
  index(r)
  save()
end
return {}
`,

  /** ARGV: now; hosts; microseconds: no host is due before its time. */
  raise: `${HOST_LUA}
local hosts, waits = cjson.decode(ARGV[2]), cjson.decode(ARGV[3])
for at = 1, #hosts do
  local r, wait = load(hosts[at]) or create(hosts[at]), waits[at]
  touch(r)
  -- Its release is forgotten too: it waits from the end of that lease.
  if r.l > 0 then r.d = math.max(r.d, wait) else r.a = math.max(r.a, now + wait) end
  index(r)
end
save()
return {}
`,
};
