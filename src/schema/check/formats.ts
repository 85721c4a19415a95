import type { Format } from 'ajv'
import type { FormatName } from 'ajv-formats/dist/formats.js'
import type { JsonValue } from '../../util/json/json.js'
import { requiredPackage } from '../../util/packages/required-package.js'
import { MAX_FORMAT_CHARACTERS } from '../limits.js'
import type { CheckRun } from './check-run.js'

const { fullFormats } = requiredPackage<typeof import('ajv-formats/dist/formats.js')>(
  'ajv-formats/dist/formats.js',
)

type FormatCheck = (value: JsonValue, run: CheckRun) => boolean

/** Expressions that look at a text again from every position: their time is quadratic, so they pay for it. */
const QUADRATIC: ReadonlySet<string> = new Set(['url', 'uri'])
const PAIRS_PER_STEP = 64
const CHARACTERS_PER_STEP = 8
/** Formats of texts that are long by nature; their checks are linear. */
const LONG: ReadonlySet<string> = new Set(['byte'])

/** The check of a format; undefined for names nobody knows and those that demand nothing. */
export function findFormat(name: string): FormatCheck | undefined {
  if (!isFormatName(name)) return undefined
  const format: Format = fullFormats[name]
  if (typeof format === 'object' && 'type' in format && format.type === 'number') {
    const { validate } = format
    return (value) =>
      (typeof value !== 'number' && typeof value !== 'bigint') || validate(Number(value)) === true
  }
  const fits = textTest(format)
  return fits && bounded(name, fits)
}

function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(fullFormats, name)
}

function bounded(name: string, fits: (text: string) => boolean): FormatCheck {
  return (value, run) => {
    if (typeof value !== 'string') return true
    const { length } = value
    if (length > MAX_FORMAT_CHARACTERS && !LONG.has(name)) return false
    run.charge(1 + (QUADRATIC.has(name) ? (length * length) / PAIRS_PER_STEP : length / CHARACTERS_PER_STEP))
    return fits(value)
  }
}

function textTest(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'function') return (text) => format(text) === true
  if (typeof format !== 'object') return undefined
  // Those of numbers are read elsewhere.
  return textTest(format.validate as Format)
}
