import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
// Below node_modules, so that what the parts depend on is found.
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'parts-'))
afterAll(() => rmSync(folder, { recursive: true }))
execFileSync(process.execPath, ['scripts/pack-parts.mjs', folder], { cwd: root, stdio: 'ignore' })

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: { readonly '.': { readonly types: string; readonly default: string } }
  readonly dependencies?: Readonly<Record<string, string>>
}

const read = (...path: readonly string[]): Manifest => JSON.parse(readFileSync(join(...path), 'utf8'))
const whole = read(root, 'package.json')
const { packages }: { packages: Readonly<Record<string, Pick<Manifest, 'dependencies'>>> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)
const MOST_PACKAGES = 15

/** All that is installed with some packages. */
function installedWith(names: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    if (found.has(name)) continue
    found.add(name)
    installedWith(Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}), found)
  }
  return found
}

describe.each(['template', 'prompt', 'client'])('the small package of /%s', (part) => {
  const manifest = read(folder, part, 'package.json')

  it('has the version of the whole, and few dependencies', () => {
    expect(manifest).toMatchObject({ name: `ai-prompt-shell-${part}`, version: whole.version })
    const dependencies = manifest.dependencies ?? {}
    expect(whole.dependencies).toMatchObject(dependencies)
    expect(installedWith(Object.keys(dependencies)).size).toBeLessThanOrEqual(MOST_PACKAGES)
  })

  it('exports what the subpath exports', async () => {
    const { default: code, types } = manifest.exports['.']
    const place = (...path: readonly string[]) => pathToFileURL(join(...path)).href
    const own: object = await import(place(folder, part, code))
    const subpath: object = await import(place(root, 'dist/bundle', code.replace('./bundle/', '')))
    expect(Object.keys(own)).toEqual(Object.keys(subpath))
    expect(existsSync(join(folder, part, types))).toBe(true)
  })

  it('has every file that it imports, and its licence', () => {
    const files = readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md']))
    const dead = files
      .filter((file) => /\.(?:js|d\.ts)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(folder, part, file), 'utf8')
        const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js'
        return [...text.matchAll(/(?:from ?|import ?\()['"`](\.[^'"`]+)\.js['"`]/g)]
          .map(([, path = '']) => join(dirname(file), `${path}${ending}`))
          .filter((target) => !files.includes(target))
      })
    expect(dead).toEqual([])
  })
})

it('the template package renders, with the function library and all that it loads late', async () => {
  const { compile, functionLibrary } = (await import(
    pathToFileURL(join(folder, 'template/bundle/template.js')).href
  )) as typeof import('../../../src/template/index.js')
  const template = compile('{{upper .x}} {{toYaml .y}} {{regexFind "b+" .x}} {{tokens .x}}', {
    functions: functionLibrary,
  })
  expect(template.renderSync({ x: 'abbc', y: { z: 1 } })).toBe('ABBC z: 1 bb 2')
})
