/*
 * Queries to all nodes, each processed by one script in Redis. All keys of an app share a slot of the cluster by their
 * hash tag:
 *
 *   homeport:{<app>}                  the nodes that have stored anything
 *   homeport:{<app>}:<node>:alive     exists while the node's lease runs
 *   homeport:{<app>}:<node>:clients   its clients that are online, a set
 *   homeport:{<app>}:<node>:counts    its numbers by their key, a hash
 *   homeport:{<app>}:<node>:members   members of its groups, a sorted set in the order of the groups' names
 *   homeport:{<app>}:<node>:claims    its holders by their name, a hash
 *
 * KEYS[1] is the first of these, and ARGV[1] the calling node.
 */

export function keyOfApp(appId: string): string {
  return `homeport:{${appId}}`
}

/** The keys of the other live nodes. The keys of a dead node expire; its name is removed here. */
const OTHERS = `
  local others = {}
  for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    local key = KEYS[1] .. ':' .. node
    if redis.call('EXISTS', key .. ':alive') == 0 then
      redis.call('SREM', KEYS[1], node)
    elseif node ~= ARGV[1] then
      others[#others + 1] = key
    end
  end
  local own = KEYS[1] .. ':' .. ARGV[1]
`

/** ARGV: the node, clients. Returns the positions, from 1, of the clients that are online on other nodes. */
export const ONLINE_ON_OTHER_NODES = `${OTHERS}
  local found, online = {}, {}
  for _, key in ipairs(others) do
    for position, member in ipairs(redis.call('SMISMEMBER', key .. ':clients', unpack(ARGV, 2))) do
      if member == 1 and not found[position] then
        found[position] = true
        online[#online + 1] = position
      end
    end
  end
  return online
`

/** ARGV: the node. Returns the key prefixes of the other nodes. */
export const OTHER_NODES = `${OTHERS}
  return others
`

/** ARGV: the node. Returns the number of different clients on all nodes. */
export const COUNT_ONLINE = `${OTHERS}
  if #others == 0 then
    return redis.call('SCARD', own .. ':clients')
  end
  local union, sets = KEYS[1] .. ':union', { own .. ':clients' }
  for _, key in ipairs(others) do
    sets[#sets + 1] = key .. ':clients'
  end
  local count = redis.call('SUNIONSTORE', union, unpack(sets))
  redis.call('UNLINK', union)
  return count
`

/** ARGV: the node, a key. Returns the sum of the numbers that other nodes have set under the key. */
export const SUM_ON_OTHER_NODES = `${OTHERS}
  local sum = 0
  for _, key in ipairs(others) do
    sum = sum + (tonumber(redis.call('HGET', key .. ':counts', ARGV[2])) or 0)
  end
  return sum
`

/**
 * ARGV: the node, the least entry that a group's members can have and the least entry after the group, the maximum per
 * node, a random number. Returns randomly drawn entries; each is found by rank in the sorted set.
 */
export const SOME_ON_OTHER_NODES = `${OTHERS}
  math.randomseed(tonumber(ARGV[5]))
  local drawn = {}
  for _, key in ipairs(others) do
    local set = key .. ':members'
    local count = redis.call('ZLEXCOUNT', set, ARGV[2], ARGV[3])
    if count > 0 then
      local first = redis.call('ZRANK', set, redis.call('ZRANGEBYLEX', set, ARGV[2], ARGV[3], 'LIMIT', 0, 1)[1])
      local moved = {}
      for place = 0, math.min(count, tonumber(ARGV[4])) - 1 do
        local other = math.random(place, count - 1)
        local rank = first + (moved[other] or other)
        moved[other] = moved[place] or place
        drawn[#drawn + 1] = redis.call('ZRANGE', set, rank, rank)[1]
      end
    end
  end
  return drawn
`

/** ARGV: the node, a name. Returns its holder on another node. */
export const HOLDER_ON_OTHER_NODES = `${OTHERS}
  for _, key in ipairs(others) do
    local holder = redis.call('HGET', key .. ':claims', ARGV[2])
    if holder then
      return holder
    end
  end
  return false
`

/** ARGV: the node, its lease in milliseconds, a name, its new holder. Returns the previous holder on another node. */
export const CLAIM = `${OTHERS}
  local before = false
  for _, key in ipairs(others) do
    before = redis.call('HGET', key .. ':claims', ARGV[3]) or before
    redis.call('HDEL', key .. ':claims', ARGV[3])
  end
  redis.call('HSET', own .. ':claims', ARGV[3], ARGV[4])
  redis.call('PEXPIRE', own .. ':claims', ARGV[2])
  return before
`

/** ARGV: the node, a name, its holder. */
export const RELEASE = `
  local claims = KEYS[1] .. ':' .. ARGV[1] .. ':claims'
  if redis.call('HGET', claims, ARGV[2]) == ARGV[3] then
    redis.call('HDEL', claims, ARGV[2])
  end
`

/**
 * ARGV: the node, its lease in milliseconds, names and holders in alternation. Restores the claims of this node, except
 * names that have a holder on another node: it claimed them while this node was disconnected.
 */
export const RESTORE_CLAIMS = `${OTHERS}
  for index = 3, #ARGV, 2 do
    local taken = false
    for _, key in ipairs(others) do
      taken = taken or redis.call('HEXISTS', key .. ':claims', ARGV[index]) == 1
    end
    if not taken then
      redis.call('HSET', own .. ':claims', ARGV[index], ARGV[index + 1])
    end
  end
  redis.call('PEXPIRE', own .. ':claims', ARGV[2])
`
