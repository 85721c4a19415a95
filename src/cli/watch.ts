import { setTimeout as sleep } from 'node:timers/promises'
import { OUR_SHAPE } from '../http/answers/legacy-api.js'
import type { CatalogEvent, DocumentCondition } from '../registry/registry.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, UsageError } from './command.js'
import { textOption } from './option-values.js'
import { eventsOf, ServerConnection } from './server-connection.js'
import { assertServiceUrl, environmentKey, SERVER_OPTIONS, type ServerAddress } from './server-option.js'
import { limitOption } from './watch-options.js'

const RETRY_MS = 1_000
const DEFAULT_SERVICE = 'http://127.0.0.1:8080'

interface Output {
  /** Returns false when no more is wanted. */
  print(change: CatalogEvent): boolean
  note(text: string): void
}

/** `watch`: what changes in a catalog, one line each, until it is interrupted. */
export const watch: Command = {
  usage: ['watch [service URL, folder or redis:// URL] [options]'],
  about: `Prints a line for every document that is added, changed, removed, broken or fixed. Follows a running service
(${DEFAULT_SERVICE} unless given), or reads a folder or a Redis itself.`,
  options: {
    ...CATALOG_OPTION,
    ...SERVER_OPTIONS,
    json: { type: 'boolean', help: 'print one JSON object per line' },
    limit: { type: 'string', value: '<n>', help: 'exit after n changes' },
  },
  examples: ['watch', 'watch my-prompts', 'watch http://127.0.0.1:8080 --json'],
  positionals: [0, 1],
  endsInOrder: true,
  async run([word], values, context) {
    const source = sourceOf(catalogOption(values, word), textOption(values, 'url'))
    const key = textOption(values, 'key') ?? environmentKey(context)
    const output = createOutput(context, values['json'] === true, limitOption(values))
    const ending = new AbortController()
    const end = () => ending.abort()
    context.signals?.end.addEventListener('abort', end, { once: true })
    if (context.signals?.end.aborted) end()
    try {
      if (isService(source))
        await followService({ url: assertServiceUrl(source), key }, output, ending.signal)
      else await followCatalog(source, output, context, ending.signal)
    } catch (error) {
      if (!ending.signal.aborted) throw error
    } finally {
      // Lets go of the connection, which a reader that only stops reading may keep.
      end()
    }
    return EXIT.ok
  },
}

/** @throws UsageError */
function sourceOf(word: string | undefined, url: string | undefined): string {
  if (word !== undefined && url !== undefined)
    throw new UsageError(`give a URL or a place, not both: ${word}, --url ${url}`)
  if (word !== undefined && /^[\w.-]+:\d+(\/|$)/.test(word))
    throw new UsageError(
      `${JSON.stringify(word)} is not a URL: write http://${word}, or redis://${word} for a Redis`,
    )
  return url === undefined ? (word ?? DEFAULT_SERVICE) : assertServiceUrl(url)
}

function isService(source: string): boolean {
  return /^https?:\/\//.test(source)
}

function createOutput({ stdout, stderr }: CliContext, json: boolean, limit: number): Output {
  let left = limit
  return {
    print(change) {
      if (left > 0) stdout(`${json ? JSON.stringify(change) : toLine(change)}\n`)
      left -= 1
      return left > 0
    },
    note: (text) => stderr(`${text}\n`),
  }
}

function toLine(event: CatalogEvent): string {
  const { kind, id, change } = event
  return [change.padEnd(7), kind.padEnd(9), id, detailOf(event)].filter((part) => part !== '').join(' ')
}

function detailOf(event: CatalogEvent): string {
  if ('revision' in event) return event.revision ?? ''
  // A service keeps its paths to itself.
  const { location = '', message, line = 1, column = 1 }: Partial<DocumentCondition> = event
  const place = [...(location === '' ? [] : [location]), line, column].join(':')
  return message === undefined ? '' : `${place} ${message}`
}

async function followCatalog(
  location: string,
  output: Output,
  context: CliContext,
  signal: AbortSignal,
): Promise<void> {
  const { registry, close } = await openCatalog(context, location)
  output.note(`watching ${registry.status.store.location}`)
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve())
    registry.subscribe((changes, _snapshot, conditions) => {
      if (![...changes, ...conditions].every((event) => output.print(event))) resolve()
    })
  })
  await close()
}

/** Resumes after the last event that was read whenever the connection is lost. */
async function followService(server: ServerAddress, output: Output, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined
  let isFirst = true
  for (;;) {
    try {
      for await (const event of readEvents(server, lastId, signal)) {
        lastId = event.id ?? lastId
        if (event.event === 'hello') output.note(`watching ${server.url}`)
        if (event.event === 'reset') output.note('some changes were missed')
        if (isCatalogEvent(event) && !output.print(JSON.parse(event.data) as CatalogEvent)) return
      }
      output.note('the connection was lost, trying again')
    } catch (error) {
      if (isFirst || signal.aborted || error instanceof RefusedError) throw error
    }
    isFirst = false
    await sleep(RETRY_MS, undefined, { signal })
  }
}

function isCatalogEvent({ event }: { readonly event?: string | undefined }): boolean {
  return event === 'change' || event === 'release' || event === 'broken' || event === 'mended'
}

class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

async function* readEvents(server: ServerAddress, lastId: string | undefined, signal: AbortSignal) {
  const response = await new ServerConnection(server).send('/api/events', undefined, {
    signal,
    headers: {
      accept: 'text/event-stream',
      'x-api-shape': OUR_SHAPE,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
  })
  const { status, statusText } = response
  if (status >= 400 && status < 500) throw new RefusedError(`${server.url} answers ${status} ${statusText}`)
  if (!response.ok) throw new Error(`${server.url} answers ${status}`)
  yield* eventsOf(response)
}
