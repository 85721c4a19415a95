import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseAst } from 'vitest/node'
import { BOUNDED } from './bounded-patterns.js'

/** A regular expression that is written in the code. */
export interface LiteralPattern {
  readonly pattern: RegExp
  /** `util/text/data-url.js:12`, the first place that has it. */
  readonly place: string
}

/** Parts of the build that hold the same patterns again, or run in browsers. */
const LEFT_OUT: ReadonlySet<string> = new Set(['bundle', 'ui', 'clients'])

/** Every regular expression that the built code has as a literal, each once, but those that are bounded otherwise. */
export function literalPatterns(dist: string): readonly LiteralPattern[] {
  const found = new Map<string, LiteralPattern>()
  for (const file of filesBelow(dist)) {
    const text = readFileSync(file, 'utf8')
    for (const { pattern, start } of patternsIn(parseAst(text, { lang: 'js' }))) {
      const line = text.slice(0, start).split('\n').length
      if (!BOUNDED.has(String(pattern)) && !found.has(String(pattern)))
        found.set(String(pattern), { pattern, place: `${relative(dist, file)}:${line}` })
    }
  }
  return [...found.values()]
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesBelow(path)
    return entry.name.endsWith('.js') ? [path] : []
  })
}

function* patternsIn(node: object): Generator<{ readonly pattern: RegExp; readonly start: number }> {
  if (isPattern(node)) yield { pattern: new RegExp(node.regex.pattern, node.regex.flags), start: node.start }
  for (const child of Object.values(node))
    if (typeof child === 'object' && child !== null && !(child instanceof RegExp)) yield* patternsIn(child)
}

interface PatternNode {
  readonly start: number
  readonly regex: { readonly pattern: string; readonly flags: string }
}

function isPattern(node: object): node is PatternNode {
  return 'type' in node && node.type === 'Literal' && 'regex' in node && typeof node.regex === 'object'
}
