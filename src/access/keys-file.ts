import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../util/errors/error-message.js'
import { createSlicer } from '../util/slices/pause.js'
import { runSliced } from '../util/slices/sliced.js'
import { textInPieces } from '../util/slices/text-in-pieces.js'
import { YamlReader } from '../util/yaml/yaml-reader.js'
import type { KeyRing } from './key-ring.js'
import { MAX_KEYS_BYTES } from './limits.js'
import { type ParsedKeys, parseKeys, readKeys } from './parse-keys.js'

/** Logs the results of reading the file; a pino logger fits. */
export interface KeysLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
}

export interface KeysFileOptions {
  readonly path: string
  /** Gets the keys. */
  readonly ring: KeyRing
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** What is known of the file. */
export interface KeysStatus {
  readonly keys: number
  readonly loaded_at: string
  /** Why the newest content is not in use; null when it is. */
  readonly problem: string | null
}

/** How often the file is looked at; the system's events, where it has any, make it sooner. */
const POLL_MS = 1_000
/** Content that is the same after this long is no longer being written. */
const CALM_MS = 50
/** Looks at a file that is being written, before it is left to the next time. */
const MAX_LOOKS = 20

/**
 * The keys of a file, taken again whenever its content changes. An invalid content changes nothing: the
 * last good keys stay. The directory is watched, because editors and Kubernetes put a new file in the place of the old.
 */
export class WatchedKeysFile {
  readonly #options: KeysFileOptions
  #text = ''
  #identity = ''
  #status: KeysStatus = { keys: 0, loaded_at: '', problem: null }
  #watcher: FSWatcher | undefined
  #poll: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #log: KeysLog | undefined
  readonly #closing = new AbortController()
  readonly #yaml = new YamlReader()

  constructor(options: KeysFileOptions) {
    this.#options = options
  }

  get status(): KeysStatus {
    return this.#status
  }

  /** Takes the keys as they are now. @returns what is wrong with the file */
  load(): readonly string[] {
    const { path } = this.#options
    try {
      this.#text = readFileSync(path, 'utf8')
    } catch (error) {
      return [`KEYS_FILE: cannot read ${path} (${errorMessage(error)})`]
    }
    return this.#take(parseKeys(path, this.#text))
  }

  /** Follows the file from now on. */
  follow(log: KeysLog): void {
    this.#log = log
    this.#poll = setInterval(() => void this.#lookIfChanged(), POLL_MS)
    this.#poll.unref()
    try {
      const { path } = this.#options
      this.#watcher = watch(dirname(path), { persistent: false }, (_, name) => {
        if (mayChange(path, name)) this.#look()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // Where the system has no events, polling is enough.
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#poll)
    this.#watcher?.close()
    await this.#yaml.close()
    await this.#looking
  }

  async #lookIfChanged(): Promise<void> {
    const identity = await identityOf(this.#options.path)
    if (identity === this.#identity) return
    this.#identity = identity
    this.#look()
  }

  /** One look at a time; what happens meanwhile is seen by the look that waits for calm. */
  #look(): void {
    this.#looking ??= this.#readCalm()
      .then((text) => this.#changed(text))
      .catch((error: unknown) => {
        this.#text = ''
        this.#unusable([`KEYS_FILE: ${errorMessage(error)}`])
      })
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** The content once it is no longer being written; undefined when that does not happen. */
  async #readCalm(): Promise<string | undefined> {
    let before: Buffer | undefined
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const { size } = await stat(this.#options.path)
      // A file that is too large is not read: a text of that length is refused, whatever it says.
      const isTooLarge = size > MAX_KEYS_BYTES
      const bytes = isTooLarge ? Buffer.alloc(MAX_KEYS_BYTES + 1) : await readFile(this.#options.path)
      if (before?.equals(bytes) === true) return await runSliced(textInPieces(bytes), createSlicer())
      before = bytes
      await sleep(CALM_MS, undefined, { signal: this.#closing.signal })
    }
    return undefined
  }

  async #changed(text: string | undefined): Promise<void> {
    if (text === undefined || text === this.#text || this.#closing.signal.aborted) return
    this.#text = text
    const problems = this.#take(await readKeys(this.#options.path, text, this.#yaml))
    if (problems.length > 0) this.#unusable(problems)
    else this.#log?.info({ keys: this.#status.keys }, 'the keys were read again')
  }

  #take(parsed: ParsedKeys): readonly string[] {
    const { ring, now } = this.#options
    if (!parsed.ok) return parsed.problems
    const problems = ring.replace(parsed.keys).map((problem) => `KEYS_FILE: ${problem}`)
    if (problems.length > 0) return problems
    const loadedAt = new Date(now()).toISOString()
    this.#status = { keys: parsed.keys.length, loaded_at: loadedAt, problem: null }
    return []
  }

  #unusable(problems: readonly string[]): void {
    const [problem = ''] = problems
    if (this.#closing.signal.aborted || problem === this.#status.problem) return
    this.#status = { ...this.#status, problem }
    this.#log?.warn({ problems }, 'the keys could not be read again: the last good ones stay')
  }
}

/**
 * Whether a change of this name in a file's directory may be one of the file: a log beside it changes all the time. Names
 * that begin with two dots lead to a mounted secret's files. A link to another file there is noticed by polling.
 */
export function mayChange(path: string, name: string | null): boolean {
  return name === null || name === basename(path) || name.startsWith('..')
}

/** Changes when the file, or what a link leads to, is another one or has another content. */
async function identityOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? '' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`
}
