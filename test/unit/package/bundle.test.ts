import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'

const bundle = resolve(import.meta.dirname, '../../../dist/bundle')
/** Node prints the line where a program crashed, whole. */
const LONGEST_LINE = 12_000

/** `import{…}from"./small.js"`, of a file of the bundle. */
function importedBy(code: string): readonly string[] {
  return [...code.matchAll(/(?:\bfrom|^import)\s*["']\.\/([\w-]+\.js)["']/gm)].map(([, file = '']) => file)
}

describe('the bundled code', () => {
  async function failed() {
    const {
      compile,
      TemplateError,
    }: typeof import('../../../src/template/api.js') & typeof import('../../../src/template/index.js') =
      await import(join(bundle, 'template.js'))
    expect(TemplateError.name).toBe('TemplateError')
    return Promise.resolve()
      .then(() => compile('{{if .x}'))
      .catch((error: unknown) => error)
  }

  it('has the names of its classes and their methods, in stack traces too', async () => {
    const failure = await failed()
    expect(inspect(failure)).toMatch(/^TemplateError: template: t:1/)
    expect(inspect(failure)).not.toMatch(/omittedCount|headers/)
    expect(failure).toHaveProperty('stack', expect.stringContaining('at TemplateParser.advance ('))
  })

  it('finds the source of every other place with the script for stack traces', {
    timeout: 60_000,
  }, async () => {
    const failure = await failed()
    const stack = failure instanceof Error ? (failure.stack ?? '') : ''
    expect(stack).not.toContain('syntaxError')
    const root = resolve(bundle, '../..')
    const found = execFileSync('node', ['scripts/stack.mjs'], { cwd: root, input: stack, encoding: 'utf8' })
    const [, place = ''] = /at syntaxError \(src\/template\/syntax-error\.ts:(\d+):\d+\)/.exec(found) ?? []
    const line = readFileSync(join(root, 'src/template/syntax-error.ts'), 'utf8').split('\n')[
      Number(place) - 1
    ]
    expect(line).toMatch(/^ {2}return atPlace\(/)
    expect(found).toMatch(/at advance \(src\/template\/dialects\/go\/parser\.ts:\d+:\d+\)/)
    expect(found).not.toContain('dist/bundle')
  })

  it('finds places behind escaped characters of the same line', { timeout: 60_000 }, () => {
    const place = readdirSync(bundle).flatMap((file) =>
      readFileSync(join(bundle, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const before = /^.*\\uff1f.*?(?=`unknown`)/.exec(line)?.[0]
          return before === undefined ? [] : [`dist/bundle/${file}:${index + 1}:${before.length + 1}`]
        }),
    )
    expect(place).toHaveLength(1)
    const root = resolve(bundle, '../..')
    const found = execFileSync('node', ['scripts/stack.mjs'], {
      cwd: root,
      input: place[0],
      encoding: 'utf8',
    })
    const [, line = '', column = ''] = /src\/protocols\/boxed\.ts:(\d+):(\d+)/.exec(found) ?? []
    const source = readFileSync(join(root, 'src/protocols/boxed.ts'), 'utf8').split('\n')[Number(line) - 1]
    expect(source?.slice(Number(column) - 1)).toMatch(/^'unknown'/)
  })

  it('is ASCII, so that V8 keeps one byte for each character, and says what its source says', async () => {
    const beyond = readdirSync(bundle).filter((file) =>
      /[^\0-\x7f]/.test(readFileSync(join(bundle, file), 'utf8')),
    )
    expect(beyond).toEqual([])
    const texts = async (file: string) => {
      const { functionLibrary }: typeof import('../../../src/template/index.js') = await import(file)
      return JSON.stringify([...functionLibrary.entries()])
    }
    const expected = await texts(resolve(bundle, '../template/index.js'))
    expect(expected).toContain('\u2026')
    expect(await texts(join(bundle, 'template.js'))).toBe(expected)
  })

  // What runs first of a circle finds the other's names without their values.
  it('has no circle of files', () => {
    const imports = new Map(
      readdirSync(bundle).map((file) => [file, importedBy(readFileSync(join(bundle, file), 'utf8'))]),
    )
    const reached = (file: string, found = new Set<string>()): ReadonlySet<string> => {
      for (const next of imports.get(file) ?? []) if (!found.has(next)) reached(next, found.add(next))
      return found
    }
    expect([...imports.values()].flat().length).toBeGreaterThan(100)
    expect([...imports.keys()].filter((file) => reached(file).has(file))).toEqual([])
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
