import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Message } from '../conversation/message.js'
import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { MAX_FOREIGN_DEPTH } from '../util/limits.js'
import { runNow } from '../util/slices/sliced.js'
import { readYaml } from '../util/yaml/read-yaml.js'
import { yamlText } from '../util/yaml/yaml-text.js'

/** What a snapshot keeps of a test: a text, or the messages of a conversation. */
export type TestOutput = string | readonly Message[]

/** How an output compares with the snapshot of its test. */
export type SnapshotVerdict =
  | { readonly kind: 'same' | 'written' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }

/** The snapshots of one file of tests: `__snapshots__/<file>.snap.yaml` beside it. */
export class Snapshots {
  readonly path: string
  private readonly kept: JsonObject
  private readonly isUpdating: boolean
  /** By name, what was compared; the file has these and no others after an update. */
  private readonly seen = new Map<string, JsonValue>()

  /**
   * @param testFile absolute
   * @param isUpdating whether outputs replace what is kept
   * @param kept by name of a test; default: what the file has
   * @throws Error for a file that is not one of snapshots
   */
  constructor(testFile: string, isUpdating: boolean, kept: JsonObject = keptSnapshots(testFile)) {
    this.path = pathOf(testFile)
    this.kept = kept
    this.isUpdating = isUpdating
  }

  /** Compares an output, which is kept where this updates. */
  compare(name: string, output: TestOutput): SnapshotVerdict {
    const after: JsonValue = typeof output === 'string' ? output : [...output]
    const before = own(this.kept, name)
    const isSame = isDeepStrictEqual(before, after)
    this.seen.set(name, this.isUpdating || before === undefined ? after : before)
    if (isSame) return { kind: 'same' }
    if (this.isUpdating) return { kind: 'written' }
    if (before === undefined) return { kind: 'missing' }
    return { kind: 'changed', before: printed(before), after: printed(after) }
  }

  /** Snapshots that no test compared. */
  get obsolete(): readonly string[] {
    return Object.keys(this.kept).filter((name) => !this.seen.has(name))
  }

  /** Writes what was compared, where this updates and something differs. @param keepsOthers not all tests ran */
  save(keepsOthers: boolean): boolean {
    const all = Object.fromEntries([...(keepsOthers ? Object.entries(this.kept) : []), ...this.seen])
    if (!this.isUpdating || isDeepStrictEqual(all, this.kept)) return false
    if (Object.keys(all).length === 0) {
      rmSync(this.path)
      return true
    }
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.path, HEAD + yamlText(all))
    return true
  }
}

const HEAD = '# Written by: ai-prompt-shell test --update\n'

function pathOf(testFile: string): string {
  return join(dirname(testFile), '__snapshots__', `${basename(testFile).replace(/\.ya?ml$/, '')}.snap.yaml`)
}

/** The snapshots beside a file of tests, by name of the test. @throws Error for a file that is not one of snapshots */
export function keptSnapshots(testFile: string): JsonObject {
  const path = pathOf(testFile)
  if (!existsSync(path)) return {}
  try {
    const { value } = runNow(readYaml(readFileSync(path, 'utf8'), MAX_FOREIGN_DEPTH))
    if (isJsonObject(value)) return value
  } catch (cause) {
    throw new Error(`${path}: ${errorMessage(cause)}`, { cause })
  }
  throw new Error(`${path}: a file of snapshots must be an object`)
}

/** A kept output as text: of a conversation, each message after a line with its role. */
function printed(output: JsonValue): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) return stringifyJson(output, 2)
  return output
    .map((message: JsonValue) => {
      const { role = '', content = '', ...rest }: JsonObject = isJsonObject(message) ? message : {}
      const more = Object.keys(rest).length === 0 ? '' : `\n${stringifyJson(rest)}`
      return `── ${String(role)} ──\n${typeof content === 'string' ? content : stringifyJson(content, 2)}${more}`
    })
    .join('\n')
}
