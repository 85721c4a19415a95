import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../json/json.js'
import { numberField, textField } from '../json/json-fields.js'
import { shortPath } from '../text/short-path.js'
import type { LogOutput } from './log-output.js'

/** How a log is made readable. */
export interface ReadableLogOptions {
  /** Whether levels are colored. */
  readonly colors: boolean
}

/** The name of each level, from which of pino's numbers on, and its ANSI color; `info` needs no name. */
const LEVELS: readonly (readonly [least: number, name: string, color: number])[] = [
  [60, 'fatal', 31],
  [50, 'error', 31],
  [40, 'warn', 33],
  [30, '', 0],
  [20, 'debug', 2],
  [0, 'trace', 2],
]
const TIME_START = 'YYYY-MM-DDT'.length
const TIME_END = TIME_START + 'hh:mm:ss'.length
/** Fields that the line shows in a form of its own. */
const SHOWN: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** Passes pino's lines of JSON on as one readable line each. */
export function readableLog(output: LogOutput, options: ReadableLogOptions): LogOutput {
  return {
    write: (line) => output.write(`${readableLine(line, options)}\n`),
    flush: (done) => output.flush(done),
  }
}

/** One record: time of day, level unless it is `info`, message, then its other fields. What is not JSON stays as it is. */
export function readableLine(line: string, { colors }: ReadableLogOptions): string {
  const record = parseRecord(line)
  if (record === undefined) return line.trimEnd()
  const [, name, color] = levelOf(numberField(record, 'level') ?? 0)
  const level = name !== '' && colors ? `\u001b[${color}m${name}\u001b[0m` : name
  const time = textField(record, 'time')?.slice(TIME_START, TIME_END) ?? ''
  const said = requestText(record) ?? documentText(record) ?? recordText(record)
  return [time, level, said].filter((part) => part !== '').join('  ')
}

function levelOf(level: number) {
  return LEVELS.find(([least]) => level >= least) ?? ([0, '', 0] as const)
}

function parseRecord(line: string): JsonObject | undefined {
  try {
    const record: JsonValue = JSON.parse(line)
    return isJsonObject(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** `POST /api/render/prompts/a.b 404 2 ms: No prompt has the id "a.b"` */
function requestText(record: JsonObject): string | undefined {
  const { method, route, status, durationMs, prompt, error } = record
  if (textField(record, 'msg') !== 'request' || typeof durationMs !== 'number') return undefined
  const path = typeof prompt === 'string' ? String(route).replace(':id', prompt) : String(route)
  const problem = typeof error === 'string' ? `: ${error}` : failureText(record)
  return `${method} ${path} ${status} ${Math.round(durationMs)} ms${problem}`
}

/** `: template_error at a.b:3:5`, for failures whose message stays out of the log. */
function failureText({ code, at }: JsonObject): string {
  if (typeof code !== 'string') return ''
  return typeof at === 'string' ? `: ${code} at ${at}` : `: ${code}`
}

/** `templates/a/b.yaml:3:5 unclosed action (a document is broken and not served)`, as `check` prints it. */
function documentText(record: JsonObject): string | undefined {
  const { document, error, line = 1, column = 1, msg } = record
  if (typeof document !== 'string') return undefined
  if (typeof error !== 'string') return `${shortPath(document)} ${msg}`
  return `${shortPath(document)}:${line}:${column} ${error} (${msg})`
}

function recordText(record: JsonObject): string {
  const fields = Object.entries(record).filter(([name]) => !SHOWN.has(name))
  const shown = fields.map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : stringifyJson(value)}`,
  )
  return [textField(record, 'msg') ?? '', ...shown].join(' ')
}
