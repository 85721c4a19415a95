import { openRedisWork, type RedisWork } from '../redis/writing/redis-work.js'
import { errorMessage } from '../util/errors/error-message.js'
import { type JsonValue, parseJson, stringifyJson } from '../util/json/json.js'
import { type LifeAddress, lifeKey } from '../versions/addresses.js'
import { type HistoryFact, makeEntry, readEntry, writeEntry } from '../versions/history-entry.js'
import type { CatalogWriter } from './catalog-writer.js'
import { escapeGlob } from './redis-keys.js'

/** Keys per page of a scan. */
const PAGE = 1_000
/** Several may add to one history at the same time. */
const MAX_ATTEMPTS = 50
/** The field of an entry's text in the stream. */
const ENTRY_FIELD = 'entry'

/** What a user of Redis needs for a command, as `ACL SETUSER` takes it. */
interface Right {
  readonly key: string
  readonly access: 'R' | 'W'
  readonly command: string
}

/**
 * Opens a Redis for writing versions and labels.
 *
 * @throws RedisUrlError, Error
 */
export async function openRedisWriter(url: string, prefix: string): Promise<CatalogWriter> {
  return createRedisWriter(await openRedisWork(url), prefix)
}

function createRedisWriter(work: RedisWork, prefix: string): CatalogWriter {
  const { client } = work
  const keyOf = (address: LifeAddress) => `${prefix}:${lifeKey(address)}`
  const get = (key: string) => allowed({ key, access: 'R', command: 'get' }, () => client.get(key))
  const createText = async (address: LifeAddress, text: string) => {
    const key = keyOf(address)
    const right: Right = { key, access: 'W', command: 'set' }
    return (await allowed(right, () => client.set(key, text, 'NX'))) === 'OK'
  }

  return {
    location: work.location,
    async read(address) {
      const text = await get(keyOf(address))
      return text === null ? undefined : { text, value: parsedText(text), format: 'json' }
    },
    async list(kind, part) {
      const start = `${prefix}:${kind}:`
      const pattern = part === '' ? '*' : `*${escapeGlob(part)}*`
      const keys = await scan(work, escapeGlob(start) + pattern)
      return keys.sort().map((key) => key.slice(start.length).split(':'))
    },
    create: (address, value) => createText(address, stringifyJson(value)),
    createText,
    async replace(address, before, after) {
      const key = keyOf(address)
      const command = after === undefined ? 'del' : 'set'
      await allowed({ key, access: 'R', command: 'watch' }, () => client.watch(key))
      if ((await get(key)) !== (before ?? null)) {
        await client.unwatch()
        return false
      }
      const change = client.multi()
      const queued = after === undefined ? change.del(key) : change.set(key, stringifyJson(after))
      return transacted({ key, access: 'W', command }, () => queued.exec())
    },
    async append(address, fact) {
      const key = keyOf(address)
      for (let attempt = 1; !(await appendOnce(work, key, fact)); attempt += 1)
        if (attempt === MAX_ATTEMPTS) throw new Error(`${key}: others add to this history all the time`)
    },
    async history(address) {
      const key = keyOf(address)
      const rows = await allowed({ key, access: 'R', command: 'xrange' }, () => client.xrange(key, '-', '+'))
      return { entries: rows.map(([, fields]) => entryIn(fields)) }
    },
    pathOf(location) {
      const [first, kind, ...path] = location.slice(prefix.length).split(':')
      return first === '' && kind !== undefined && location.startsWith(prefix) ? path : undefined
    },
    close: () => work.close(),
  }
}

async function scan({ nodes }: RedisWork, match: string): Promise<string[]> {
  const found = new Set<string>()
  for (const node of nodes())
    for await (const keys of node.scanStream({ match, count: PAGE })) for (const key of keys) found.add(key)
  return [...found]
}

/** False when another command added an entry meanwhile. */
async function appendOnce({ client }: RedisWork, key: string, fact: HistoryFact): Promise<boolean> {
  const reading = { key, access: 'R' } as const
  await allowed({ ...reading, command: 'watch' }, () => client.watch(key))
  const rows = await allowed({ ...reading, command: 'xrevrange' }, () =>
    client.xrevrange(key, '+', '-', 'COUNT', 1),
  )
  const last = entryIn(rows[0]?.[1] ?? [])
  const text = writeEntry(makeEntry(last?.digest ?? '', fact))
  const change = client.multi().xadd(key, '*', ENTRY_FIELD, text)
  return transacted({ key, access: 'W', command: 'xadd' }, () => change.exec())
}

function entryIn(fields: readonly string[]) {
  const index = fields.findIndex((name, place) => place % 2 === 0 && name === ENTRY_FIELD)
  return readEntry(fields[index + 1] ?? '')
}

type Replies = readonly (readonly [Error | null, unknown])[] | null

/** Whether a transaction took place; a command in it that failed throws. */
async function transacted(right: Right, run: () => Promise<Replies>): Promise<boolean> {
  const replies = await allowed(right, run)
  for (const [error] of replies ?? []) if (error !== null) throw refused(right, error)
  return replies !== null
}

async function allowed<Reply>(right: Right, run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run()
  } catch (error) {
    throw refused(right, error)
  }
}

/** An error of Redis, with the missing right where it says that one is missing. */
function refused({ key, access, command }: Right, error: unknown): unknown {
  const message = messagesOf(error).find((each) => /\bNOPERM\b/.test(each))
  if (message === undefined) return error
  const rights = `%${access}~${key} and +${command}`
  return new Error(
    `Redis does not let this user ${access === 'R' ? 'read' : 'write'} ${key}: it needs ${rights} (${message})`,
    { cause: error },
  )
}

/** Of the error and of the commands that were queued before a transaction was discarded. */
function messagesOf(error: unknown): readonly string[] {
  const earlier: unknown = error instanceof Error && 'previousErrors' in error ? error.previousErrors : []
  return [errorMessage(error), ...(Array.isArray(earlier) ? earlier.map(errorMessage) : [])]
}

function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
