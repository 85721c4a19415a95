import { resolve } from 'node:path'
import { literalPatterns } from '../support/literal-patterns.js'
import { firstSlow } from '../support/pattern-cost.js'
import { pumpedTexts } from '../support/pumped-texts.js'

/** Tries every literal pattern of the built code with every pumped text, and answers 1 where one is not linear. With a word as
 * its argument only those of places that begin with it, such as `util/`. */
export function main([only = '']: readonly string[]): number {
  const dist = resolve(import.meta.dirname, '../../../dist')
  const patterns = literalPatterns(dist).filter(({ place }) => place.startsWith(only))
  let tried = 0
  let failed = 0
  for (const { pattern, place } of patterns) {
    const texts = pumpedTexts(pattern)
    tried += texts.length
    const worst = firstSlow(pattern, texts)
    if (worst === undefined) continue
    failed += 1
    const { text, growth, ms } = worst
    console.log(
      `${place} ${pattern}\n  ${JSON.stringify(text)}: ${ms.toFixed(1)} ms, ×${growth.toFixed(1)} for ×4`,
    )
  }
  console.log(`${patterns.length} patterns, ${tried} texts: ${failed} not linear`)
  return failed === 0 ? 0 : 1
}
