import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/log.md'), 'utf8')
const named = new Set([...page.matchAll(/`(\w+)`/g)].map(([, name]) => name))

/** Every call of a logger whose fields and text are written where it is called. */
const CALL = /\blog(?:ger)?\)?\??\.(?:info|warn|error|fatal)\(\s*(?:\{([^{}]*)\}|\w+)?,?\s*'([^']+)'/gi
const calls = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('ui'))
  .flatMap((file) => [...readFileSync(join(root, 'src', file), 'utf8').matchAll(CALL)])
  .map(([, fields = '', message = '']) => ({ message, fields: namesIn(fields) }))

/** `{ task, round: event.round, ...rest }`: task, round. */
function namesIn(fields: string): readonly string[] {
  return fields
    .split(',')
    .map((field) => /^\s*(\w+)\s*(?::|$)/.exec(field)?.[1])
    .filter((name) => name !== undefined)
}

describe('the page about the log', () => {
  it('looks at what is logged', () => {
    expect(calls.length).toBeGreaterThan(25)
    expect(calls.flatMap(({ fields }) => fields).length).toBeGreaterThan(40)
  })

  it.each(calls)('has the line "$message" with its fields', ({ message, fields }) => {
    expect(page).toContain(`\`${message}\``)
    expect(fields.filter((name) => !named.has(name))).toEqual([])
  })

  it('has every field of the line of a request', () => {
    const source = readFileSync(join(root, 'src/http/status/access-log.ts'), 'utf8')
    const inText = [...source.matchAll(/"(\w+)":/g)].map(([, name]) => name)
    expect(inText.length).toBeGreaterThan(8)
    expect(inText.filter((name) => !named.has(name))).toEqual([])
  })
})
