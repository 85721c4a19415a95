import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { admittedValue } from '../../support/costs/admitted-value.js'
import { type CostCase, costCases } from '../../support/costs/cost-cases.js'
import { drawnShapes } from '../../support/costs/drawn-shapes.js'
import { leastOf, longestPiece } from '../../support/costs/longest-piece.js'
import { createShapes, SHAPES } from '../../support/costs/shapes.js'
import { createRandom } from '../../support/random.js'

const ATTEMPTS = 4

/** Measures how long each call of the generated table holds the event loop; 1 if one does longer than it may. With `--drawn 40` that many shapes
 * are drawn by the seed in place of those that are written down. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      bound: { type: 'string', default: '20' },
      drawn: { type: 'string' },
      minutes: { type: 'string', default: '15' },
    },
  })
  const bound = Number(values.bound)
  const seed = Number(values.seed)
  const kinds = values.drawn === undefined ? SHAPES : drawnShapes(seed, Number(values.drawn))
  const isWanted = ({ name }: CostCase) => values.only === undefined || name.includes(values.only)
  const all = [...costCases(kinds)].filter(isWanted)
  const random = createRandom(seed)
  const cases = shuffled(all, random).slice(0, Number(values.sample ?? all.length))
  const shapes = createShapes(kinds)
  const startedAt = performance.now()
  const slow: (readonly [number, CostCase])[] = []
  let count = 0
  for (const each of bySize(cases)) {
    if (performance.now() - startedAt > Number(values.minutes) * 60_000) break
    count += 1
    const { size, large } = await admittedValue(each, shapes)
    const ms = await leastOf(ATTEMPTS, bound, () => longestPiece(each, large))
    if (ms > bound) slow.push([ms, { ...each, name: `with ${size}: ${each.name}` }])
  }
  slow.sort(([a], [b]) => b - a)
  for (const [ms, { name }] of slow.slice(0, 400)) console.log(`${ms.toFixed(0).padStart(6)} ms  ${name}`)
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  console.log(
    `${count} of ${all.length} calls in ${minutes} minutes, seed ${values.seed}: ${slow.length} over ${bound} ms. Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`,
  )
  return slow.length === 0 ? 0 : 1
}

/** Values of one shape and size follow each other, so that each is made once. */
function bySize(cases: readonly CostCase[]): readonly CostCase[] {
  return [...cases].sort((a, b) => a.shape.localeCompare(b.shape) || a.size - b.size)
}

function shuffled<Item>(items: readonly Item[], random: ReturnType<typeof createRandom>): readonly Item[] {
  const shuffled = [...items]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const item = shuffled[i] as Item
    shuffled[i] = shuffled[j] as Item
    shuffled[j] = item
  }
  return shuffled
}
