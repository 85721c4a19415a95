import { readJsonCall } from './read-json-call.js'
import type { Reading } from './reading.js'
import type { Steps } from './scanner.js'

const WORD = 'functools'

/** Reads `functools[{…}]` where an answer begins with it. */
export function* readFunctools(reading: Reading): Steps<void> {
  const { scanner } = reading
  for (;;) {
    const start = scanner.text.slice(scanner.at).trimStart()
    if (start.startsWith(`${WORD}[`)) break
    if (scanner.ended || !(`${WORD}[`.startsWith(start) || start === '')) return
    yield
  }
  const raw = scanner.take(scanner.text.indexOf('[', scanner.at))
  yield* readJsonCall(reading, { name: WORD, closing: false, form: WORD, raw }, { kind: 'json' })
}
