import type { Redis } from 'ioredis'
import { errorMessage } from '../../util/errors/error-message.js'

/** Placeholder for a key of the queue that holds a string, or does not exist. */
const KEY = 'KEY'
/** Placeholder for a key of the queue that does not exist. */
const NONE = 'NONE'

/** How long what is written stays at most. */
const PROBE_MS = '5000'

/**
 * Every command of the queue and its scripts, called so that it does nothing: on a key of the wrong type, or on none.
 * The first one writes the key, the last one takes it away.
 */
const CALLS: readonly (readonly [command: string, ...words: readonly string[]])[] = [
  ['set', KEY, '0', 'PX', PROBE_MS],
  ['ping'],
  ['time'],
  ['info', 'server'],
  ['client', 'setname', 'ai-prompt-shell-doctor'],
  ['eval', 'return 1', '1', KEY],
  ['evalsha', '0'.repeat(40), '1', KEY],
  ...['get', 'exists', 'incr', 'pttl', 'hgetall', 'hlen', 'llen', 'lpop', 'rpop', 'scard', 'smembers'].map(
    (command) => [command, KEY] as const,
  ),
  ...['zcard', 'zpopmin'].map((command) => [command, KEY] as const),
  ...['hget', 'hmget', 'hdel', 'hexists', 'lpush', 'rpush', 'lpos', 'sadd', 'srem', 'zrem', 'zscore'].map(
    (command) => [command, KEY, 'x'] as const,
  ),
  ['zrevrank', KEY, 'x'],
  ['lindex', KEY, '0'],
  ['hscan', KEY, '0'],
  ...['hset', 'hsetnx', 'hmset'].map((command) => [command, KEY, 'x', '0'] as const),
  ['hincrby', KEY, 'x', '1'],
  ...['lrange', 'lrem', 'ltrim', 'zcount', 'zrange', 'zrevrange', 'zrangebyscore', 'zrevrangebyscore'].map(
    (command) => [command, KEY, '0', '0'] as const,
  ),
  ...['zremrangebyrank', 'zremrangebyscore'].map((command) => [command, KEY, '0', '0'] as const),
  ['zadd', KEY, '0', 'x'],
  ['xadd', KEY, '*', 'x', '0'],
  ['xrange', KEY, '-', '+'],
  ['xtrim', KEY, 'MAXLEN', '0'],
  ['bzpopmin', KEY, '0.01'],
  ['rpoplpush', KEY, NONE],
  ['rename', NONE, KEY],
  ['persist', NONE],
  ['pexpire', KEY, PROBE_MS],
  ['unlink', NONE],
  ['del', KEY],
]

/**
 * What the user of a connection may not do of all that the queue of tasks does, as rules of `ACL SETUSER`; empty when
 * nothing is missing. Nothing stays but, where it may not be deleted, one small key for five seconds.
 *
 * @param server of a cluster any one: rights are looked at before slots are
 * @param prefix what the queue's keys begin with
 * @throws Error when the server goes away
 */
export async function missingQueueRights(server: Redis, prefix: string): Promise<readonly string[]> {
  const keys = new Map([
    [KEY, `${prefix}:doctor`],
    [NONE, `${prefix}:doctor:none`],
  ])
  const refusals = await Promise.all(
    CALLS.map(async ([command, ...words]) => {
      const named = words.map((word) => keys.get(word) ?? word)
      return { words, rule: ruleOf(command, words), refusal: await refusalOf(server.call(command, ...named)) }
    }),
  )
  const mayReachKeys = refusals.some(({ words, refusal }) => words.includes(KEY) && refusal === undefined)
  const commands = refusals.filter(({ refusal }) => refusal === 'command').map(({ rule }) => rule)
  return mayReachKeys ? commands : [`~${prefix}:*`, ...commands]
}

/** Of commands with subcommands only the one that is used. */
function ruleOf(command: string, [first]: readonly string[]): string {
  return command === 'client' ? `+client|${first}` : `+${command}`
}

/** Why the server did not let somebody call; undefined when it did, whatever came of it. @throws Error without an answer */
async function refusalOf(answer: Promise<unknown>): Promise<'command' | 'keys' | undefined> {
  try {
    await answer
    return undefined
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error
    const said = errorMessage(error)
    if (!said.startsWith('NOPERM')) return undefined
    return said.includes('access') ? 'keys' : 'command'
  }
}
