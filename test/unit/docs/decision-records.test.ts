import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SOURCES } from '../../support/imports.js'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'docs/explain/decisions')
const records = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name))
const readme = readFileSync(join(folder, 'README.md'), 'utf8')

/** Every word of the source, in any case of use: a name that is in none is a name of yesterday. */
const words = new Set(
  SOURCES.flatMap((file) => readFileSync(join(root, 'src', file), 'utf8').match(/\w+/g) ?? []),
)

/** A name of the code: words in one, or capitals; a number at its end is one that generated code gives. */
const NAME = /^(?:[a-z]+(?:[A-Z][a-z]*)+|(?:[A-Z][a-z]+){2,}|[A-Z]{2,}(?:_[A-Z]+)+)\d*$/
/** A file or a folder, by its whole path or by its end. */
const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/)$/

/** The names and the paths of a text that are not those of the code. */
function staleIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, token = '']) => token)
  const lostPaths = quoted.filter((token) => PATH.test(token) && !isThere(token))
  const names = quoted
    .flatMap((token) => (PATH.test(token) ? [] : token.split('.')))
    .map((token) => token.replace(/\(.*$/, ''))
    .filter((token) => NAME.test(token))
  return [...lostPaths, ...names.filter((name) => !words.has(name.replace(/\d+$/, '')))]
}

function isThere(path: string): boolean {
  if (existsSync(join(root, path)) || existsSync(join(root, 'src', path))) return true
  return SOURCES.some((file) => `/${file}`.includes(`/${path}`))
}

describe('decision records', () => {
  it('are numbered without a gap, and listed', () => {
    expect(records.map((name) => Number(name.slice(0, 4)))).toEqual(records.map((_, index) => index + 1))
    expect([...readme.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, name]) => name)).toEqual(records)
  })

  it.each(records)('%s names only files, types and functions that the source has', (name) => {
    expect(staleIn(readFileSync(join(folder, name), 'utf8'))).toEqual([])
  })

  it.each([
    ['`validateEverything` checks `src/nowhere/at-all.ts`', ['src/nowhere/at-all.ts', 'validateEverything']],
    ['`MAX_NOTHING_AT_ALL` and `WireTelegram`', ['MAX_NOTHING_AT_ALL', 'WireTelegram']],
    ['`run/driver.ts`, `Snapshot`, `callSite3`, `JSON.parse`, `if`, `text0`', []],
  ])('would be found out: %s', (text, expected) => expect(staleIn(text)).toEqual(expected))
})

describe('comments of the source', () => {
  it('name only pages that are there', () => {
    const named = SOURCES.flatMap((file) =>
      (readFileSync(join(root, 'src', file), 'utf8').match(/`(?:docs|test)\/[\w./-]+\.\w+`/g) ?? []).map(
        (path) => path.slice(1, -1),
      ),
    )
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('test/README.md', () => {
  const text = readFileSync(join(root, 'test/README.md'), 'utf8')
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)

  it('has a row for each folder of tests, and no other', () => {
    const rows = [...text.matchAll(/^\| `([a-z0-9]+)\/` \|/gm)].map(([, name]) => name)
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(rows.toSorted()).toEqual(folders.toSorted())
  })

  it('names only commands and files that are there', () => {
    const commands = [...text.matchAll(/`npm (?:run )?(test(?::[a-z]+)?|[a-z]+:[a-z]+|attack|soak)\b/g)]
    expect(commands.length).toBeGreaterThan(4)
    expect(commands.map(([, name = '']) => name).filter((name) => !scripts.includes(name))).toEqual([])
    const paths = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
