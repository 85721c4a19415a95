import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UpstreamPhase } from '../../transport/upstream-error.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { canonicalJson } from '../../util/json/canonical-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { isJsonList, numberField, objectField, textField } from '../../util/json/json-fields.js'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { runNow } from '../../util/slices/sliced.js'
import { maskValue } from '../../util/telemetry/mask-secrets.js'
import { readYaml } from '../../util/yaml/read-yaml.js'
import { yamlText } from '../../util/yaml/yaml-text.js'
import { maskSplitSecrets } from '../chat/mask-events.js'
import type { Endpoint, ModelRequest } from '../model.js'
import type { Tape, TapedError, TapedEvent } from './tape.js'

/** What distinguishes folders of tapes. */
export interface TapeFolderOptions {
  readonly folder: string
  /** Names of request members that do not distinguish requests, such as `user`. */
  readonly ignore: readonly string[]
  /** Texts that are never written. */
  readonly secrets: readonly string[]
}

const HEAD = '# Recorded by ai-prompt-shell. One request and its answer.\n'

/** A folder with a file for each request. A file is read once. */
export class TapeFolder {
  private readonly options: TapeFolderOptions
  private readonly read = new Map<string, Tape>()

  constructor(options: TapeFolderOptions) {
    this.options = options
  }

  /** The request as tapes keep it. */
  kept(request: ModelRequest): JsonObject {
    const { ignore, secrets } = this.options
    const members = Object.entries(request).filter(([name]) => !ignore.includes(name))
    const masked = maskValue(Object.fromEntries(members), secrets)
    return isJsonObject(masked) ? masked : {}
  }

  /** The tape of a request; undefined where it is missing. @throws Error for a file that is not a tape */
  find(endpoint: Endpoint, request: JsonObject): Tape | undefined {
    const name = fileName(endpoint, request)
    const known = this.read.get(name)
    if (known !== undefined) return known
    const path = join(this.options.folder, name)
    if (!existsSync(path)) return undefined
    const tape = parseTape(path, readFileSync(path, 'utf8'))
    this.read.set(name, tape)
    return tape
  }

  /** Writes a tape, in place of an earlier one of its request. @returns the file's name */
  write(tape: Tape): string {
    const { folder, secrets } = this.options
    const name = fileName(tape.endpoint, tape.request)
    const document = maskValue(toDocument(withoutSplitSecrets(tape, secrets)), secrets)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), HEAD + yamlText(document))
    this.read.delete(name)
    return name
  }

  /** Every tape of the folder, by the name of its file. */
  all(): readonly (readonly [name: string, tape: Tape])[] {
    const { folder } = this.options
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => [name, parseTape(join(folder, name), readFileSync(join(folder, name), 'utf8'))] as const)
  }
}

/** Says the model, for people, and the request, in sixteen digits. */
function fileName(endpoint: Endpoint, request: JsonObject): string {
  const model = (textField(request, 'model') ?? 'model').replace(/[^\w.-]+/g, '_').slice(0, 40)
  const digest = createHash('sha256')
    .update(`${endpoint}\n${canonicalJson(request)}`)
    .digest('hex')
  return `${model}-${digest.slice(0, 16)}.yaml`
}

function withoutSplitSecrets(tape: Tape, secrets: readonly string[]): Tape {
  return tape.events === undefined ? tape : { ...tape, events: maskSplitSecrets(tape.events, secrets) }
}

function toDocument({ endpoint, request, answer, events, error }: Tape): JsonObject {
  return {
    endpoint,
    request,
    ...(answer !== undefined && { answer }),
    ...(events !== undefined && { events: events.map(toJsonEvent) }),
    ...(error !== undefined && { error: toJsonError(error) }),
  }
}

/** A status says the phase. */
function toJsonError({ phase, status, ...error }: TapedError): JsonValue {
  return { ...(status === undefined ? { phase } : { status }), ...error }
}

function toJsonEvent({ data, atMs }: TapedEvent): JsonValue {
  return atMs === undefined ? data : { at_ms: atMs, data }
}

const ENDPOINTS: readonly Endpoint[] = ['chat/completions', 'responses', 'completions', 'embeddings']

function parseTape(path: string, text: string): Tape {
  const value = documentIn(path, text)
  const endpoint = ENDPOINTS.find((each) => each === own(value, 'endpoint'))
  const [answer, events] = [own(value, 'answer'), own(value, 'events')]
  const error = errorIn(objectField(value, 'error'))
  if (endpoint === undefined || (!isJsonObject(answer) && !isJsonList(events) && error === undefined))
    throw new Error(`${path}: is not a tape: it needs endpoint, request, and one of answer, events and error`)
  return {
    endpoint,
    request: objectField(value, 'request'),
    ...(isJsonObject(answer) && { answer }),
    ...(isJsonList(events) && { events: events.map(toEvent) }),
    ...(error !== undefined && { error }),
  }
}

function documentIn(path: string, text: string): JsonObject {
  try {
    const { value } = runNow(readYaml(text, MAX_FOREIGN_DEPTH))
    if (isJsonObject(value)) return value
  } catch (cause) {
    throw new Error(`${path}: ${errorMessage(cause)}`, { cause })
  }
  throw new Error(`${path}: is not a tape`)
}

function toEvent(written: JsonValue): TapedEvent {
  if (!isJsonObject(written)) return { data: String(written) }
  const atMs = numberField(written, 'at_ms')
  return { data: textField(written, 'data') ?? '', ...(atMs !== undefined && { atMs }) }
}

const PHASES: readonly UpstreamPhase[] = [
  'connect',
  'first_byte',
  'idle',
  'total',
  'network',
  'status',
  'body',
]

function errorIn(written: JsonObject): TapedError | undefined {
  const status = numberField(written, 'status')
  const phase = status === undefined ? PHASES.find((each) => each === own(written, 'phase')) : 'status'
  if (phase === undefined) return undefined
  const detail = own(written, 'detail')
  return {
    phase,
    message: textField(written, 'message') ?? '',
    ...(status !== undefined && { status }),
    ...(detail !== undefined && { detail }),
  }
}
