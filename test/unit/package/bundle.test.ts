import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'

const bundle = resolve(import.meta.dirname, '../../../dist/bundle')
/** Node prints the line where a program crashed, whole. */
const LONGEST_LINE = 12_000

describe('the bundled code', () => {
  it('has the names of its functions and classes, in stack traces too', async () => {
    const {
      compile,
      TemplateError,
    }: typeof import('../../../src/template/api.js') & typeof import('../../../src/template/index.js') =
      await import(join(bundle, 'template.js'))
    expect(TemplateError.name).toBe('TemplateError')
    const failure = await Promise.resolve()
      .then(() => compile('{{if .x}'))
      .catch((error: unknown) => error)
    expect(inspect(failure)).toMatch(/^TemplateError: template: t:1/)
    expect(inspect(failure)).not.toMatch(/omittedCount|headers/)
    expect(failure).toHaveProperty('stack', expect.stringContaining('at syntaxError ('))
    expect(failure).toHaveProperty('stack', expect.stringContaining('at TreeParser.parse ('))
  })

  it('is in lines, and no line is all of it', () => {
    const files = readdirSync(bundle)
    expect(files.length).toBeGreaterThan(20)
    const longest = files.flatMap((file) =>
      readFileSync(join(bundle, file), 'utf8')
        .split('\n')
        .filter((line) => line.length > LONGEST_LINE)
        .map((line) => `${file}: ${line.slice(0, 60)}`),
    )
    expect(longest).toEqual([])
  })
})
