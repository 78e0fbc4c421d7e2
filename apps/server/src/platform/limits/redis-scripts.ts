/**
 * Scripts that Redis runs atomically for rate limits. They use the time of Redis, because the clocks of nodes differ.
 */

const NOW = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

/** Same arithmetic as `buckets.ts`. A missing bucket is full. */
const BUCKETS = `${NOW}
local function read(key, isWindow, perMinute, capacity)
  local known = redis.call('GET', key)
  if not known then return capacity, now end
  local tokens, filled = string.match(known, '^(%S+) (%S+)$')
  local past = math.max(0, now - tonumber(filled))
  if isWindow then
    if past < 60000 then return tonumber(tokens), now - past end
    return capacity, now
  end
  return math.min(capacity, tonumber(tokens) + past * perMinute / 60000), now
end
local function write(key, isWindow, perMinute, capacity, tokens, filled)
  local lasts = 60000 - (now - filled)
  if not isWindow then lasts = (capacity - tokens) * 60000 / perMinute end
  redis.call('SET', key, string.format('%.17g %.0f', tokens, filled), 'PX', math.ceil(lasts) + 1)
end
`;

/** Script that takes from buckets. Arguments for each key: window or not, per minute, capacity, needed, taken. */
export const consumeBucketsScript = `${BUCKETS}
local answer = {0}
local after = {}
for i, key in ipairs(KEYS) do
  local isWindow, perMinute = ARGV[i * 5 - 4] == '1', tonumber(ARGV[i * 5 - 3])
  local capacity, needed, taken = tonumber(ARGV[i * 5 - 2]), tonumber(ARGV[i * 5 - 1]), tonumber(ARGV[i * 5])
  local tokens, filled = read(key, isWindow, perMinute, capacity)
  local lacks = tokens < needed
  if not lacks then tokens = tokens - taken end
  answer[i * 2] = string.format('%.17g', tokens)
  answer[i * 2 + 1] = tostring(now - filled)
  if lacks then
    answer[1] = i
    return answer
  end
  after[i] = {key, isWindow, perMinute, capacity, tokens, filled}
end
for _, bucket in ipairs(after) do write(unpack(bucket)) end
return answer
`;

/**
 * Script that corrects buckets. Arguments for each key: window or not, per minute, capacity, taken. A window that is
 * over has nothing to correct.
 */
export const adjustBucketsScript = `${BUCKETS}
for i, key in ipairs(KEYS) do
  local isWindow, perMinute = ARGV[i * 4 - 3] == '1', tonumber(ARGV[i * 4 - 2])
  local capacity, taken = tonumber(ARGV[i * 4 - 1]), tonumber(ARGV[i * 4])
  if not isWindow or redis.call('EXISTS', key) == 1 then
    local tokens, filled = read(key, isWindow, perMinute, capacity)
    write(key, isWindow, perMinute, capacity, math.min(capacity, tokens - taken), filled)
  end
end
return {}
`;

/** Expiry of entries that no node renews. */
const SLOTS_KEPT_MS = 3_600_000;

/** Arguments: this node, and the key prefix of nodes' leases; for each key: this node's slots, and the limit. */
export const acquireSlotsScript = `
local alive = {}
local function isAlive(node)
  if alive[node] == nil then alive[node] = redis.call('EXISTS', ARGV[2] .. node) == 1 end
  return alive[node]
end
for i, key in ipairs(KEYS) do
  local count = tonumber(ARGV[i * 2 + 1])
  local all = redis.call('HGETALL', key)
  for j = 1, #all, 2 do
    if all[j] ~= ARGV[1] then
      if isAlive(all[j]) then count = count + tonumber(all[j + 1]) else redis.call('HDEL', key, all[j]) end
    end
  end
  if count > tonumber(ARGV[i * 2 + 2]) then return {i} end
end
for i, key in ipairs(KEYS) do
  redis.call('HSET', key, ARGV[1], ARGV[i * 2 + 1])
  redis.call('PEXPIRE', key, ${SLOTS_KEPT_MS})
end
return {0}
`;

/** Arguments: this node; for each key: this node's slots. */
export const renewSlotsScript = `
for i, key in ipairs(KEYS) do
  if ARGV[i + 1] == '0' then
    redis.call('HDEL', key, ARGV[1])
  else
    redis.call('HSET', key, ARGV[1], ARGV[i + 1])
    redis.call('PEXPIRE', key, ${SLOTS_KEPT_MS})
  end
end
return {}
`;

/** Script that counts in a window. Arguments: duration of the window in milliseconds, and the number to add. */
export const countInWindowScript = `
local lasts = redis.call('PTTL', KEYS[1])
local isNew = lasts <= 0
if isNew and ARGV[2] ~= '1' then return {0, 0} end
if isNew then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
  return {1, 0}
end
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
return {count, tonumber(ARGV[1]) - lasts}
`;

export const resetWindowScript = `
redis.call('DEL', KEYS[1])
return {}
`;

/** Maximum number of published texts. */
const TEXTS_MAX = 10_000;

/**
 * Script that publishes a text. Arguments: channel of the other nodes, this node, the text, and its duration in
 * milliseconds.
 */
export const publishTextScript = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) < ${TEXTS_MAX} then
  redis.call('ZADD', KEYS[1], 'GT', now + tonumber(ARGV[4]), ARGV[3])
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
end
redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. ARGV[4] .. ' ' .. ARGV[3])
return {}
`;

/** Script that withdraws texts. Arguments: channel of the other nodes, this node, and the prefix of the texts. */
export const withdrawTextsScript = `
for _, text in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if string.sub(text, 1, #ARGV[3]) == ARGV[3] then redis.call('ZREM', KEYS[1], text) end
end
redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' 0 ' .. ARGV[3])
return {}
`;

/** @returns each current text, with its remaining time */
export const listTextsScript = `${NOW}
local answer = {}
local all = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES')
for i = 1, #all, 2 do
  answer[i] = all[i]
  answer[i + 1] = tostring(tonumber(all[i + 1]) - now)
end
return answer
`;
