import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The text of each section of the results, by its heading, with numbers as they are counted. */
const sections = new Map(
  read('test/bench/results.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.replaceAll(/(\d),(?=\d{3})/g, '$1')]),
)
const rows = [
  ...read('docs/explain/sizing.md').matchAll(/^\| (?!what|---)([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
]
  .map(([, what = '', measured = '', section = '']) => ({ what, measured, section }))
  .filter(({ section }) => section !== 'section')

/** `p50 0.13 ms, p99 4.0 ms`: 0.13, 4.0. */
function numbersIn(text: string): readonly string[] {
  return text.replaceAll(/(\d),(?=\d{3})/g, '$1').match(/(?<![\w.])\d+(?:\.\d+)?/g) ?? []
}

describe('the figures of the page about sizing', () => {
  it('are a table', () => expect(rows.length).toBeGreaterThan(12))

  it.each(rows)('$what: $measured', ({ measured, section }) => {
    const text = sections.get(section)
    expect(text).toBeDefined()
    expect(numbersIn(measured).length).toBeGreaterThan(0)
    for (const number of numbersIn(measured))
      expect(text).toMatch(new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}(?![\\d.]*\\d)`))
  })

  it('find a number that was not measured', () => {
    expect(sections.get('Start')).not.toMatch(/(?<![\d.])533(?![\d.]*\d)/)
  })
})

/** Figures that other pages repeat, with the section that has them; rounded ones as they are in a row of the sizing page. */
const REPEATED: readonly (readonly [page: string, says: RegExp, section: string])[] = [
  [
    'docs/explain/scaling.md',
    /full resync \| one takes [^|]*?, ([\d.]+) to ([\d.]+) % of a core/,
    'A million prompts',
  ],
  [
    'docs/explain/registry.md',
    /about ([\d.]+) KB of heap per environ/,
    'Registry: from a write in Redis to the next render',
  ],
  [
    'docs/explain/registry.md',
    /a process of ([\d.]+) GiB/,
    'Registry: from a write in Redis to the next render',
  ],
  [
    'docs/guides/operating.md',
    /idle process takes (\d+) to (\d+) MiB, under full load of renders and chats up to (\d+)/,
    'Footprint of a process',
  ],
  ['docs/explain/scaling.md', /take ([\d.]+) MB a second from Redis on average/, 'Footprint of a process'],
  ['docs/explain/scaling.md', /log \| (\d+) bytes a request/, 'Footprint of a process'],
]

describe('figures on other pages', () => {
  it.each(REPEATED)('%s: %s', (page, says, section) => {
    const found = says.exec(read(page).replaceAll(/\s+/g, ' '))?.slice(1) ?? []
    expect(found.length).toBeGreaterThan(0)
    for (const number of found)
      expect(sections.get(section)).toMatch(
        new RegExp(`(?<![\\d.])${number?.replace('.', '\\.')}\\d?(?![\\d.]*\\d)`),
      )
  })

  it('the log of a day is that of a hundred thousand requests a second', () => {
    const [, bytes, terabytes] =
      /\| (\d+) bytes a request, .*? are ([\d.]+) TB a day/.exec(read('docs/explain/scaling.md')) ?? []
    expect(((Number(bytes) * 100_000 * 86_400) / 1e12).toFixed(1)).toBe(terabytes)
  })

  it('a million prompts take as much wherever it is said', () => {
    const measured = rows.find(({ what }) => what.startsWith('memory for a million prompts'))?.measured ?? ''
    const most = Math.max(...numbersIn(measured).map(Number)).toFixed(1)
    for (const page of ['docs/explain/scaling.md', 'docs/guides/operating.md'])
      expect(read(page)).toContain(`${most} GiB`)
  })
})

describe('the page about benchmarks', () => {
  it('names commands that there are', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
    const named = [...read('docs/explain/benchmarks.md').matchAll(/`npm run ([\w:]+)`/g)].map(
      ([, name]) => name,
    )
    expect(named).toEqual(expect.arrayContaining(Object.keys(scripts).filter((name) => /^bench:/.test(name))))
    expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([])
  })
})
