// What is left of keys in the memory of a process that was given them and has let somebody in with each: prints as JSON how
// often a snapshot of the heap has them. `kept` is a key that is kept as it is, to see that the search finds any.
import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapSnapshot, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { hashOfKey, KeyRing } from '../../dist/access/key-ring.js'

/** As bytes, which are no part of a snapshot: what is looked for must not be found for being looked for. */
const KEYS = Object.fromEntries(
  ['plain', 'named', 'kept'].map((name) => [name, Buffer.from(randomBytes(24).toString('hex'))]),
)
/** Enough of a key for two pieces of the snapshot to share, so that none is missed between them. */
const OVERLAP = 64

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const ring = letIn()
const text = KEYS.kept.toString()
for (let round = 0; round < 3; round += 1) {
  await turn()
  collect()
}
const found = await countInHeap()
// Both are in use until here.
if (text.length === 0 || ring.find('nobody') !== undefined) throw new Error('never')
console.log(JSON.stringify(found))

function letIn() {
  const made = new KeyRing([KEYS.plain.toString()], Date.now)
  const problems = made.replace([{ name: 'named', hash: hashOfKey(KEYS.named.toString()), scopes: ['read'] }])
  const known = ['plain', 'named'].map((name) => made.find(KEYS[name].toString()))
  if (problems.length > 0 || known.includes(undefined)) throw new Error('the ring does not know its keys')
  return made
}

async function countInHeap() {
  const counts = { plain: 0, named: 0, kept: 0 }
  let rest = Buffer.alloc(0)
  for await (const piece of getHeapSnapshot()) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)])
    for (const name of Object.keys(counts)) if (bytes.includes(KEYS[name])) counts[name] += 1
    rest = bytes.subarray(-OVERLAP)
  }
  return counts
}
