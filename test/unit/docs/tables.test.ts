import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentTables, withTables } from '../../../scripts/write-tables.js'
import { DOCUMENTS } from '../../support/document-blocks.js'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const documents = Object.entries(await documentTables())

describe('the generated tables', () => {
  it.each(documents)('%s has the tables the code says (run `npm run docs:tables`)', (file, tables) => {
    const text = read(file)
    expect(withTables(text, tables)).toBe(text)
    for (const table of Object.values(tables)) expect(text).toContain(table)
  })

  it.each(documents)('%s says of every field what it means', (_file, tables) => {
    const silent = Object.values(tables)
      .flatMap((table) => table.split('\n').slice(2))
      .filter((row) => row.endsWith('|  |'))
    expect(silent).toEqual([])
  })
})

describe('the documents', () => {
  const files = [
    ...DOCUMENTS,
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs/explain/decisions')).map((name) => `docs/explain/decisions/${name}`),
  ]

  it.each(files)('%s links to files that exist', (file) => {
    const targets = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
    expect(targets.filter((target) => !existsSync(join(root, dirname(file), target)))).toEqual([])
  })
})
