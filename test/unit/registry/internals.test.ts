import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as original from '../../../src/registry/catalog.js'
import type * as check from '../../../src/registry/rules/check-catalog.js'
import type * as stamp from '../../../src/registry/stamp.js'
import * as engine from '../../../src/template/index.js'
import { slowIt } from '../../support/slow-it.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/explain/registry-internals.md'), 'utf8')
const EXERCISE = /### (A .*)\n[\s\S]*?```diff\n([\s\S]*?)\n```/g
const exercises = [...page.matchAll(EXERCISE)].map(([, title = '', diff = '']) => ({ title, diff }))
/** The files that each exercise may open. */
const MOST_FILES: Readonly<Record<string, number>> = {
  'A kind': 5,
  'A rule': 2,
  'A limit': 2,
  'A library function': 3,
}
const ENTRY = `export { Catalog } from './src/registry/catalog.js'
export { createCatalogCheck } from './src/registry/rules/check-catalog.js'
export { Stamp } from './src/registry/stamp.js'
export { compile, functionLibrary } from './src/template/index.js'
`

type Parts = Pick<typeof original, 'Catalog'> &
  Pick<typeof check, 'createCatalogCheck'> &
  Pick<typeof stamp, 'Stamp'> &
  Pick<typeof engine, 'compile' | 'functionLibrary'>

let copy = ''
let parts: Parts

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'registry-internals-'))
  const isService = (from: string) => !from.startsWith(join(root, 'src/ui'))
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true, filter: isService })
  cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.base.json'))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  writeFileSync(join(copy, 'tsconfig.json'), '{"extends":"./tsconfig.base.json","include":["src"]}')
  writeFileSync(join(copy, 'entry.ts'), ENTRY)
  for (const { diff } of exercises) {
    execFileSync('git', ['apply', '-'], {
      cwd: copy,
      input: `${diff}\n`,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    })
  }
  // As deep as the package's own bundle, which finds its package.json from there.
  const outfile = join(copy, 'dist/bundle/parts.mjs')
  await build({
    entryPoints: [join(copy, 'entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  parts = await import(pathToFileURL(outfile).href)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** What a catalog comes to that has this document. */
function commitOf(from: Pick<Parts, 'Catalog'>, key: string, value: object, headers = 0) {
  const [kind = '', ...path] = key.split(':')
  const named = Array.from({ length: headers }, (_, index) => [`x-${index}`, 'a'])
  const document = headers === 0 ? value : { ...value, headers: Object.fromEntries(named) }
  const content = { kind: 'text', text: JSON.stringify(document), format: 'json' } as const
  const catalog = new from.Catalog(createWatchedEngine())
  catalog.commit()
  // The kind is one of the copy's.
  catalog.put({ kind: kind as 'tools', path, location: key, content }, new parts.Stamp(1))
  return catalog.commit()
}

const TOOL = { url: 'http://127.0.0.1/' }

describe('the exercises of the page on the inside of the registry', () => {
  it('touch no more files than they say', () => {
    const touched = ({ diff }: { readonly diff: string }) => diff.match(/^\+\+\+ /gm)?.length ?? 0
    expect(exercises.map(({ title }) => title)).toEqual(Object.keys(MOST_FILES))
    for (const exercise of exercises)
      expect(touched(exercise)).toBeLessThanOrEqual(MOST_FILES[exercise.title] ?? 0)
  })

  it('add a kind of document', () => {
    expect(page).toContain('five files')
    const { snapshot, changes } = commitOf(parts, 'notes:review', { text: 'ask legal first' }) ?? {}
    const shelf: unknown = snapshot === undefined ? undefined : Reflect.get(snapshot, 'notes')
    expect([...(shelf as Iterable<unknown>)]).toMatchObject([['review', { text: 'ask legal first' }]])
    expect(changes).toMatchObject([{ kind: 'note', id: 'review', change: 'added' }])
    expect(() => commitOf(original, 'notes:review', {})).toThrow()
  })

  it('add a rule', () => {
    const codesOf = (tool: object) => {
      const snapshot = commitOf(parts, 'tools:a', tool)?.snapshot ?? expect.fail()
      return [...parts.createCatalogCheck(parts.functionLibrary)(snapshot)].flat().map(({ code }) => code)
    }
    expect(codesOf(TOOL)).toEqual(['undescribed_tool'])
    expect(codesOf({ ...TOOL, description: 'Finds.' })).toEqual([])
  })

  it('add a limit', () => {
    const faults = (headers: number) => commitOf(parts, 'tools:a', TOOL, headers)?.snapshot.diagnostics
    expect(faults(50)).toEqual([])
    expect(faults(51)).toMatchObject([
      { code: 'invalid_tool', message: 'a tool has at most 50 headers', line: 1 },
    ])
    expect(commitOf(original, 'tools:a', TOOL, 51)?.snapshot.diagnostics).toEqual([])
  })

  it('add a function of the library', () => {
    const render = ({ compile, functionLibrary: functions }: Pick<Parts, 'compile' | 'functionLibrary'>) =>
      compile('{{shout "hello"}}', { functions }).renderSync({})
    expect(render(parts)).toBe('HELLO!')
    expect(() => render(engine)).toThrow('function "shout" not defined')
  })

  slowIt(
    'pass the compiler, which knows every table that a kind would have to be in',
    () => {
      const compiler = join(root, 'node_modules/.bin/tsc')
      expect(spawnSync(compiler, ['--noEmit', '-p', '.'], { cwd: copy, encoding: 'utf8' }).stdout).toBe('')
    },
    300_000,
  )
})
