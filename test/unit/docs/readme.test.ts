import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.js'
import { DOCUMENTS } from '../../support/document-blocks.js'
import { publishedApi } from '../../support/published-api.js'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const levels = (text: string) =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^(#+) /gm)].map(([, mark]) => mark)
const requests = (text: string) =>
  [...text.matchAll(/^\| (`(?:GET|POST|PUT).*?) \|/gm)].map(([, cell]) => cell)

const targets = (text: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target as string)

/** Pages for contributors, and the list itself. */
const AT_HOME = ['docs/README.md', 'docs/explain/template-internals.md', 'docs/explain/registry-internals.md']

/** Whether a path of the table is a route; some rows leave out what is in front. */
const isRoute = (path: string, route: string) => {
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  return shape(route) === shape(path) || shape(route).endsWith(shape(path))
}

/** What is read, and not run or looked at: without blocks of code and the targets of links. */
const wordsToRead = (text: string) =>
  text
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\d]/u.test(word)).length

const WORDS_A_MINUTE = 200

describe('README in both languages', () => {
  it('is read in seven minutes', () => {
    const words = wordsToRead(read('README.md'))
    expect(words).toBeGreaterThan(500)
    expect(words / WORDS_A_MINUTE).toBeLessThanOrEqual(7)
  })

  it('has the same sections, pictures and links', () => {
    const zh = read('README_zh-CN.md')
    const en = read('README.md')
    expect(levels(zh)).toEqual(levels(en))
    const own = /^README/
    expect(targets(zh).filter((target) => !own.test(target))).toEqual(
      targets(en).filter((target) => !own.test(target)),
    )
  })

  it('leads to every page for users', () => {
    const linked = new Set(
      targets(`${read('README.md')}\n${read('docs/README.md').replaceAll('](', '](docs/')}`),
    )
    const pages = DOCUMENTS.filter((name) => name.startsWith('docs/') && !AT_HOME.includes(name))
    expect(pages.length).toBeGreaterThan(30)
    expect(pages.filter((name) => !linked.has(name))).toEqual([])
  })
})

describe('the reference pages', () => {
  it('docs/reference/command-line.md has a row for every command, in the order of --help', () => {
    const [table = ''] = read('docs/reference/command-line.md').split('\n## ')
    const rows = [...table.matchAll(/^\| `(\w+)[^|]*` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(COMMANDS.map(({ name }) => name))
  })

  it('docs/reference/http-api.md names routes that there are', () => {
    const named = requests(read('docs/reference/http-api.md')).flatMap(
      (cell) => cell?.match(/\/[\w/{}.-]+/g) ?? [],
    )
    expect(named.length).toBeGreaterThan(20)
    const { paths }: { paths: Record<string, unknown> } = publishedApi()
    const routes = Object.keys(paths)
    expect([...new Set(named)].filter((path) => !routes.some((route) => isRoute(path, route)))).toEqual([])
  })
})
