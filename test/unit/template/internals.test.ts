import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as engine from '../../../src/template/index.js'
import { slowIt } from '../../support/slow-it.js'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/explain/template-internals.md'), 'utf8')
const EXERCISE = /### (A .*)\n[\s\S]*?```diff\n([\s\S]*?)\n```/g
const exercises = [...page.matchAll(EXERCISE)].map(([, title = '', diff = '']) => ({ title, diff }))
const TOOLS = { tools: ['search', 'mail'] }

let copy = ''

/** The engine with all three exercises done. */
async function engineOfCopy(): Promise<typeof engine> {
  const outfile = join(copy, 'engine.mjs')
  await build({
    entryPoints: [join(copy, 'src/template/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  return import(pathToFileURL(outfile).href)
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'template-internals-'))
  for (const part of ['template', 'util', 'errors.ts', 'schema']) {
    cpSync(join(root, 'src', part), join(copy, 'src', part), { recursive: true })
  }
  cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.base.json'))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ extends: './tsconfig.base.json', files: ['src/template/index.ts'], include: [] }),
  )
  for (const { diff } of exercises) {
    execFileSync('git', ['apply', '-'], {
      cwd: copy,
      input: `${diff}\n`,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    })
  }
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('the exercises of the page on the inside of the engine', () => {
  it('are a builtin, a helper and a word of a dialect, each in under 30 lines', () => {
    expect(exercises.map(({ title }) => title)).toEqual(['A builtin', 'A helper', 'A word of a dialect'])
    for (const { diff } of exercises) expect(diff.split('\n').length).toBeLessThan(30)
  })

  slowIt(
    'pass the compiler',
    () => {
      const compiler = join(root, 'node_modules/.bin/tsc')
      expect(spawnSync(compiler, ['--noEmit', '-p', '.'], { cwd: copy, encoding: 'utf8' }).stdout).toBe('')
    },
    300_000,
  )

  it('do what the page says, which the engine does not do without them', async () => {
    const { compile } = await engineOfCopy()
    const dialect = 'handlebars'
    const unless = '{{#unless tools}}none{{else}}some{{/unless}}'
    expect(page).toContain(`\`${unless}\``)
    expect(compile('{{last .tools}}').renderSync(TOOLS)).toBe('mail')
    expect(compile('{{len .tools}}').renderSync(TOOLS)).toBe('2')
    expect(compile('{{len .tools}}').generatedSource()).toContain('lengthOf(run, builtinSite2,')
    expect(compile(unless, { dialect }).renderSync({})).toBe('none')
    expect(compile(unless, { dialect }).renderSync(TOOLS)).toBe('some')
    expect(() => engine.compile('{{last .tools}}')).toThrow('function "last" not defined')
    expect(engine.compile('{{len .tools}}').generatedSource()).not.toContain('lengthOf')
    expect(() => engine.compile(unless, { dialect })).toThrow('unknown block')
  })
})
