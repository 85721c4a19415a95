import { readJsonCall } from './read-json-call.js'
import type { Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'

const WORD = 'functools'
/** So much is looked at, white space in front of the word included. */
const MAX_START = 64

/** Reads `functools[{…}]` where an answer begins with it. */
export function* readFunctools(reading: Reading): ScanSteps<void> {
  const { scanner } = reading
  for (;;) {
    const written = scanner.text.slice(scanner.at, scanner.at + MAX_START)
    const start = written.trimStart()
    if (start.startsWith(`${WORD}[`)) break
    if (scanner.ended || written.length === MAX_START || !(`${WORD}[`.startsWith(start) || start === ''))
      return
    yield
  }
  const raw = scanner.take(scanner.text.indexOf('[', scanner.at))
  yield* readJsonCall(reading, { name: WORD, closing: false, form: WORD, raw }, { kind: 'json' })
}
