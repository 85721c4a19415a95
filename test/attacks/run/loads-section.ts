import type { AttackedService } from '../support/attack.js'
import { startLoadedByRedis } from '../support/catalog-load.js'
import { startLoadedByDirectory } from '../support/directory-load.js'
import { largeEnviron } from '../support/large-environ.js'
import { type Measured, measureRow } from './measure-row.js'
import { measuredLine, ROWS_HEAD } from './measured-line.js'
import type { Section, SectionResult } from './section.js'
import { settle } from './settle.js'

const MANY = 20_000
const VERY_MANY = 200_000
const LARGE = largeEnviron(9_500_000)
/** Each takes seconds. */
const REPETITIONS = 4

/** A service over a catalog that holds very much. */
interface Loaded {
  readonly service: AttackedService
  stop(): Promise<number | null>
}

/** What happens to the catalog, and what it is before. */
type LoadRow<Source> = readonly [
  name: string,
  prepare: (loaded: Source) => Promise<void>,
  load: (loaded: Source) => Promise<void>,
]

/** A source of catalogs. */
interface LoadTable<Source extends Loaded> {
  readonly open: () => Promise<Source>
  readonly rows: readonly LoadRow<Source>[]
}

const FROM_REDIS: LoadTable<Awaited<ReturnType<typeof startLoadedByRedis>>> = {
  open: startLoadedByRedis,
  rows: [
    ['20,000 environs come', (loaded) => loaded.empty(), (loaded) => loaded.fill(MANY)],
    ['the connection is cut with 20,000 environs', async () => {}, (loaded) => loaded.cut()],
    ['20,000 environs go', (loaded) => loaded.fill(MANY), (loaded) => loaded.empty()],
    ['200,000 environs come', (loaded) => loaded.empty(), (loaded) => loaded.fill(VERY_MANY)],
    ['20,000 broken prompts come', (loaded) => loaded.empty(), (loaded) => loaded.breakMany(MANY)],
    ['one more beside 20,000 broken prompts', async () => {}, (loaded) => loaded.breakOne()],
    ['an environ of 9.5 MB', (loaded) => loaded.empty(), (loaded) => loaded.fillOne(LARGE)],
    [
      'an environ of 9.5 MB that breaks off',
      (loaded) => loaded.empty(),
      (loaded) => loaded.fillOne(LARGE.slice(0, -1)),
    ],
  ],
}

const FROM_DIRECTORY: LoadTable<Awaited<ReturnType<typeof startLoadedByDirectory>>> = {
  open: startLoadedByDirectory,
  rows: [
    ['20,000 files come', (loaded) => loaded.empty(), (loaded) => loaded.fill(MANY)],
    ['a file of 9.5 MB', (loaded) => loaded.empty(), (loaded) => loaded.fillOne(LARGE)],
  ],
}

/** What loads of a very large catalog cost everybody else. */
export const LOADS_SECTION: Section = {
  name: 'loads',
  async run(_repetitions, row = '') {
    const parts = [await resultOf(FROM_REDIS, row), await resultOf(FROM_DIRECTORY, row)]
    return {
      text: parts.map(({ text }) => text).join('\n\n'),
      failures: parts.reduce((sum, { failures }) => sum + failures, 0),
    }
  },
}

async function resultOf<Source extends Loaded>(
  { open, rows }: LoadTable<Source>,
  wanted: string,
): Promise<SectionResult> {
  const loaded = await open()
  await settle(loaded.service)
  const measured: Measured[] = []
  for (const [name, prepare, load] of rows.filter(([name]) => name.includes(wanted))) {
    const attack = async () => {
      await load(loaded)
      return 'loaded'
    }
    const row = { name, prepare: () => prepare(loaded), attack, leavesMuch: true }
    measured.push(await measureRow(loaded.service, row, REPETITIONS))
  }
  const code = await loaded.stop()
  const failed = measured.filter(({ mistake, over }) => mistake !== undefined || over.length > 0)
  return {
    text: `${ROWS_HEAD}\n${measured.map(measuredLine).join('\n')}\n\nThe service ended with ${code}.`,
    failures: failed.length + (code === 0 ? 0 : 1),
  }
}
