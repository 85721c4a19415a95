import { type LoadedByRedis, startLoadedByRedis } from '../support/catalog-load.js'
import { measureRow } from './measure-row.js'
import { measuredLine, ROWS_HEAD } from './measured-line.js'
import type { Section } from './section.js'
import { settle } from './settle.js'

const MANY = 200_000
const LARGE_BYTES = 9_500_000
/** Each takes seconds. */
const REPETITIONS = 4

/** What loads of a very large catalog cost everybody else; the memory of rows that leave it full is no measure. */
const ROWS: readonly (readonly [
  name: string,
  prepare: (loaded: LoadedByRedis) => Promise<void>,
  load: (loaded: LoadedByRedis) => Promise<void>,
])[] = [
  ['200,000 environs come', (loaded) => loaded.empty(), (loaded) => loaded.fill(MANY)],
  ['the connection is cut with 200,000 environs', async () => {}, (loaded) => loaded.cut()],
  ['200,000 environs go', (loaded) => loaded.fill(MANY), (loaded) => loaded.empty()],
  ['an environ of 9.5 MB', (loaded) => loaded.empty(), (loaded) => loaded.fillOne(LARGE_BYTES)],
]

/** Very large catalogs. */
export const LOADS_SECTION: Section = {
  name: 'loads',
  async run() {
    const loaded = await startLoadedByRedis()
    await settle(loaded.service)
    const measured = []
    for (const [name, prepare, load] of ROWS) {
      const attack = async () => {
        await load(loaded)
        return 'loaded'
      }
      const row = { name, prepare: () => prepare(loaded), attack }
      measured.push(await measureRow(loaded.service, row, REPETITIONS))
    }
    const code = await loaded.stop()
    const over = measured.filter(({ mistake, over }) => mistake !== undefined || over.includes('p99'))
    return {
      text: `${ROWS_HEAD}\n${measured.map(measuredLine).join('\n')}\n\nThe service ended with ${code}.`,
      failures: over.length + (code === 0 ? 0 : 1),
    }
  },
}
