/** Runs the engine under test on a case and says what it did, in the terms of an expectation. */
import { functions } from './functions.mjs'

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n
/** After this many renders a template has code of its own. */
const RENDERS_TO_SETTLE = 100

/** JSON text as the engine takes it: integers that a number cannot hold exactly are bigints. */
export function decodeData(text) {
  let marked = false
  const source = (text || 'null').replace(STRING_OR_NUMBER, (token) => {
    if (!/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token)) || !fitsInt64(BigInt(token)))
      return token
    marked = true
    return `"${MARK}${token}"`
  })
  if (!marked) return JSON.parse(source)
  return JSON.parse(source, (_key, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  )
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const MARK = '\ue000int:'
const fitsInt64 = (value) => value >= MIN_INT64 && value <= MAX_INT64

/** Bytes as the engine's strings: a byte outside valid UTF-8 is the lone surrogate U+DC00 + byte. */
export function toEngineString(bytes) {
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  let result = ''
  for (let at = 0; at < bytes.length; ) {
    const size = [1, 2, 3, 4].find((length) => isOneCharacter(bytes.subarray(at, at + length), length))
    result += size ? bytes.toString('utf8', at, at + size) : String.fromCharCode(0xdc00 + bytes[at])
    at += size ?? 1
  }
  return result
}

function isOneCharacter(bytes, length) {
  if (bytes.length !== length) return false
  const text = bytes.toString('utf8')
  return [...text].length === 1 && Buffer.from(text).equals(bytes)
}

/** What `renderInto` writes to, which is read before the next call. */
const TARGET = Buffer.alloc(1 << 20)

/** Everything that the engine does with one case, under each of its ways to run. */
export class Subject {
  constructor({ compile, TemplateError }, table = functions, limits = {}, numbers = 'go') {
    this.numbers = numbers
    this.limits = limits
    this.compile = compile
    this.TemplateError = TemplateError
    this.functions = table
    this.target = TARGET
  }

  /** Parses; the result is `{ template }` or `{ seen }`, an expectation of kind `parse error`. */
  prepare({ template, options }) {
    const { name, delimiters } = options
    try {
      const compiled = this.compile(toEngineString(template), {
        functions: this.functions,
        limits: this.limits,
        numbers: this.numbers,
        name: name ?? 't',
        ...(delimiters === undefined ? {} : { delimiters }),
      })
      return { template: compiled }
    } catch (error) {
      return { seen: this.failure(error, 'parse') }
    }
  }

  /** What `renderSync` does. */
  runSync(testCase, data = decodeData(testCase.data), more = {}) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    try {
      const text = template.renderSync(data, {
        missingKey: testCase.options.missingKey ?? 'default',
        ...more,
      })
      return this.success(template, text, testCase.options, more.output)
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options, more.output)
    }
  }

  /** What `renderSync` does after every second entry of the data was folded into the template. */
  runFolded(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
    const entries = isObject ? Object.entries(data) : []
    const open = new Set(entries.filter((_entry, index) => index % 2 === 1).map(([name]) => name))
    const fixed = isObject ? Object.fromEntries(entries.filter(([name]) => !open.has(name))) : data
    const missingKey = testCase.options.missingKey ?? 'default'
    const folded = template.fold(fixed, { open, missingKey, isPure: () => true })
    try {
      return this.success(template, folded.renderSync(data, { missingKey }), testCase.options)
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options)
    }
  }

  /** What `executeJson` does; what it wrongly knows of the output is a failure of its own. */
  async runJson(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    const { options } = testCase
    try {
      const { text, isAscii } = await template.executeJson(data, {
        output: 'json',
        missingKey: options.missingKey ?? 'default',
      })
      const isReally = isAsciiText(text)
      if (isReally !== isAscii && (isAscii || isAsciiText(toEngineString(testCase.template))))
        throw new Error(`${JSON.stringify(text)} is ASCII: ${isReally}, said to be: ${isAscii}`)
      return this.success(template, text, options, 'json')
    } catch (error) {
      return this.failure(error, 'exec', template, options, 'json')
    }
  }

  /** What `render` does. */
  async run(testCase, data = decodeData(testCase.data), more = {}) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    try {
      const options = { missingKey: testCase.options.missingKey ?? 'default', ...more }
      const text = await template.render(data, options)
      return this.success(template, text, testCase.options, more.output)
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options, more.output)
    }
  }

  /** What `trace` does; spans that do not cover the text are a failure of their own. */
  async runTraced(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    try {
      const { text, spans } = await template.trace(data, {
        missingKey: testCase.options.missingKey ?? 'default',
      })
      const gap = gapIn(text, spans)
      if (gap !== undefined) throw new Error(`${gap} in the spans of ${JSON.stringify(text)}`)
      return this.success(template, text, testCase.options)
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options)
    }
  }

  /** What `renderBytes` does: the only way to have bytes that are not UTF-8. */
  async runBytes(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    try {
      const bytes = await template.renderBytes(data, { missingKey: testCase.options.missingKey ?? 'default' })
      return {
        kind: 'output',
        output: Buffer.from(bytes),
        exact: true,
        ...printed(template, testCase.options),
      }
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options)
    }
  }

  /** What `renderInto` does. */
  runInto(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    if (seen) return seen
    try {
      const missingKey = testCase.options.missingKey ?? 'default'
      return this.#into(testCase, template, template.renderInto(data, this.target, { missingKey }))
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options)
    }
  }

  /**
   * What `renderSync` and `renderInto` do in the code that a template gets once it is rendered often, by way; nothing
   * where that is the same code.
   */
  runSettled(testCase, data = decodeData(testCase.data)) {
    const { template, seen } = this.prepare(testCase)
    const { missingKey = 'default' } = testCase.options
    if (seen || missingKey !== 'default' || template.straightSource() === null) return {}
    for (let i = 0; i < RENDERS_TO_SETTLE; i++) this.#ignore(() => template.renderSync(data))
    const render = () => this.success(template, template.renderSync(data), testCase.options)
    const renderInto = () => this.#into(testCase, template, template.renderInto(data, this.target))
    return {
      settled: this.#attempt(render, testCase, template),
      settledInto: this.#attempt(renderInto, testCase, template),
    }
  }

  /** What `renderInto` wrote. */
  #into({ options }, template, length) {
    const output = Buffer.from(this.target.subarray(0, length))
    return { kind: 'output', output, exact: true, ...printed(template, options) }
  }

  /** Renders for the sake of having rendered. */
  #ignore(render) {
    try {
      render()
    } catch (error) {
      if (!(error instanceof this.TemplateError)) throw error
    }
  }

  #attempt(render, testCase, template) {
    try {
      return render()
    } catch (error) {
      return this.failure(error, 'exec', template, testCase.options)
    }
  }

  success(template, text, options, output) {
    return { kind: 'output', output: Buffer.from(decoded(text, output)), ...printed(template, options) }
  }

  failure(error, stage, template, options, output) {
    if (!(error instanceof this.TemplateError)) {
      return { kind: 'crash', error: Buffer.from(String(error?.stack ?? error)) }
    }
    if (error.stage !== stage || !(error.line >= 1) || !(error.column >= 0)) {
      return { kind: 'crash', error: Buffer.from(`no position or wrong stage: ${JSON.stringify(error)}`) }
    }
    const message = Buffer.from(error.message)
    if (stage === 'parse') return { kind: 'parse error', error: message }
    return {
      kind: 'error',
      error: message,
      output: Buffer.from(decoded(error.partial, output)),
      reason: error.reason,
      ...printed(template, options),
    }
  }
}

function isAsciiText(text) {
  return /^[\0-\x7f]*$/.test(text)
}

/** Why spans do not cover a text, each of them once and in order; undefined if they do. */
function gapIn(text, spans) {
  let end = 0
  for (const span of spans) {
    if (span.start !== end || span.end <= end) return `span ${JSON.stringify(span)} after ${end}`
    if (!(span.line >= 1) || !(span.column >= 0)) return `no place of ${JSON.stringify(span)}`
    end = span.end
  }
  return end === text.length ? undefined : `end at ${end} of ${text.length}`
}

/** The text itself, of what may be the inside of a JSON string. */
function decoded(text, output) {
  return output === 'json' ? JSON.parse(`"${text}"`) : text
}

function printed(template, options) {
  return options.print ? { printed: Buffer.from(template.toString()) } : {}
}

/** Go's bytes as a JavaScript string can hold them: a byte outside valid UTF-8 becomes U+FFFD. */
function asString(bytes) {
  return bytes === undefined ? undefined : Buffer.from(toEngineString(bytes).toWellFormed())
}

/** How two outcomes differ, one line per part; empty when they are the same. */
export function differences(expected, seen) {
  if (expected.kind === 'panic') {
    return seen.kind === 'error' || seen.kind === 'parse error' ? [] : [`want any error, got ${seen.kind}`]
  }
  const lines = []
  if (expected.kind !== seen.kind) lines.push(`want ${expected.kind}, got ${seen.kind}`)
  for (const part of ['error', 'output', 'printed']) {
    const want = seen.exact ? expected[part] : asString(expected[part])
    const got = seen[part]
    if (want === undefined && (got === undefined || part === 'printed')) continue
    if (part === 'error' && isClipped(want, got)) continue
    if (want === undefined || got === undefined || !want.equals(got)) {
      lines.push(`${part}: want ${show(want)}`, `${' '.repeat(part.length)}   got ${show(got)}`)
    }
  }
  return lines
}

const ELLIPSIS = Buffer.from('…')
/** As the engine shows a value in a message, in bytes, at least. */
const LEAST_SHOWN = 200

/** Whether a message of the engine is Go's up to where a long value in it is cut. */
function isClipped(want, got) {
  if (want === undefined || got === undefined || !got.subarray(-ELLIPSIS.length).equals(ELLIPSIS))
    return false
  const shown = got.subarray(0, -ELLIPSIS.length)
  return shown.length >= LEAST_SHOWN && want.subarray(0, shown.length).equals(shown)
}

const SHOWN = 400

function show(bytes) {
  if (bytes === undefined) return '(none)'
  const text = JSON.stringify(toEngineString(bytes))
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${bytes.length} bytes)` : text
}
