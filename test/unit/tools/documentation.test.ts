import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOOL_FAILURES } from '../../../src/tools/tool-failure.js'

const text = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/tools.md'), 'utf8')

describe('docs/guides/tools.md', () => {
  it('has the table of failures, all of it and nothing else', () => {
    const rows = [...text.matchAll(/^\|\s*`([a-z_]+)`\s*\|\s*(.+?)\s*\|$/gm)].map(([, code, meaning]) => [
      code,
      meaning,
    ])
    const failures = Object.entries(TOOL_FAILURES).map(([code, { meaning }]) => [code, meaning])
    const codes = new Set(failures.map(([code]) => code))
    expect(rows.filter(([code]) => codes.has(code as string))).toEqual(failures)
  })
})
