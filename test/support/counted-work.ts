import { Scanner } from '../../src/protocols/scanner.js'

/** How much of a text the built-in functions go through, and one for each call. */
type Looked = (text: string, result: unknown, first: unknown, second: unknown) => number

const all: Looked = (text) => text.length
const once: Looked = () => 1
const upToFound: Looked = (text, found, _, from) =>
  (typeof found === 'number' && found >= 0 ? found : text.length) - (typeof from === 'number' ? from : 0)
const result: Looked = (_, made) => (typeof made === 'string' ? made.length : 1)

const OF_TEXTS: Readonly<Record<string, Looked>> = {
  charAt: once,
  charCodeAt: once,
  startsWith: once,
  endsWith: once,
  indexOf: upToFound,
  includes: all,
  trim: result,
  trimStart: all,
  toLowerCase: all,
  replace: all,
  replaceAll: all,
  split: all,
  matchAll: all,
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * The work of a run, counted in characters that built-in functions go through: of texts, of patterns, and of texts that a
 * scanner puts together. Unlike time it is the same on every machine.
 */
export function countWork(run: () => void): number {
  let count = 0
  const undo: (() => void)[] = []
  const watch = (
    owner: object,
    name: string,
    looked: (self: unknown, made: unknown, args: unknown[]) => number,
  ) => {
    const original = Reflect.get(owner, name) as Method
    Reflect.set(owner, name, function watched(this: unknown, ...args: unknown[]) {
      const before = this instanceof RegExp ? this.lastIndex : 0
      const made = original.apply(this, args)
      count += 1 + Math.max(0, looked({ self: this, before }, made, args))
      return made
    })
    undo.push(() => Reflect.set(owner, name, original))
  }
  for (const [name, looked] of Object.entries(OF_TEXTS)) {
    watch(String.prototype, name, (given, made, [first, second]) =>
      looked(String((given as Given).self), made, first, second),
    )
  }
  // Other functions that take a pattern call it.
  watch(RegExp.prototype, 'exec', ofPattern)
  for (const name of ['parse', 'stringify'] as const)
    watch(JSON, name, (_, made, [text]) => String(name === 'parse' ? text : made).length)
  // A text that is put together is copied when it is read. What was read of the same text is only gone back over.
  for (const name of ['feed', 'unread'])
    watch(Scanner.prototype, name, (given) => {
      const { at, text } = (given as Given).self as Scanner
      return at === 0 ? text.length : 1
    })
  try {
    run()
  } finally {
    for (const each of undo) each()
  }
  return count
}

interface Given {
  readonly self: unknown
  readonly before: number
}

/** A pattern goes from where it stood to the end of what it found; without finding anything, to the end, unless it is sticky. */
function ofPattern(given: unknown, found: unknown, [text]: unknown[]): number {
  const { self, before } = given as { readonly self: RegExp; readonly before: number }
  const from = self.global || self.sticky ? before : 0
  if (found !== null) {
    const { 0: whole, index } = found as RegExpExecArray
    return index + whole.length - from
  }
  return self.sticky ? 1 : String(text).length - from
}
