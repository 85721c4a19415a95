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
