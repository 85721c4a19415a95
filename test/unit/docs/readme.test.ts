import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../../src/errors.js'
import { readmeTables, withReadmeTables } from '../../../src/readme-tables.js'

const root = resolve(import.meta.dirname, '../../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

describe('README', () => {
  it('has the tables the code says (run `npm run readme`)', () => {
    expect(withReadmeTables(readme)).toBe(readme)
    for (const table of Object.values(readmeTables())) expect(readme).toContain(table)
  })

  it('names every error code', () => {
    for (const code of Object.keys(ERRORS)) expect(readme).toContain(`\`${code}\``)
  })

  it.each(['README.md', 'README.zh-CN.md', 'docs/README.md', 'docs/decisions/README.md'])(
    '%s links to files that exist',
    (file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] as string)
      expect(targets.length).toBeGreaterThan(0)
      expect(targets.filter((target) => !existsSync(join(root, dirname(file), target)))).toEqual([])
    },
  )
})
