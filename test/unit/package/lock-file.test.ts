import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** As npm reads ranges; it has no types. */
const semver: {
  minVersion(range: string): { readonly version: string } | null
  satisfies(version: string, range: string): boolean
} = createRequire(import.meta.url)('semver')

/** What npm writes about one installed package. */
interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly engines?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = resolve(import.meta.dirname, '../../..')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const production = packages.filter(([, { dev }]) => dev !== true)

/** Licences that ask for nothing but their text. */
const PERMISSIVE = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', '0BSD']

/** The first releases without the known holes of what stands between us and the network. */
const PATCHED = [
  // CVE-2026-25223, -3419, -3635, -33806: content types, request decoration and trusted proxies.
  ['fastify', '5.8.5'],
  // CVE-2026-22036, -1525, -2229: chains of encodings, two content lengths, WebSocket windows.
  ['undici', '7.24.0'],
  // CVE-2026-13676, -84292, -84394: addresses that two readers understand differently.
  ['fast-uri', '3.1.7'],
] as const

describe('package-lock.json', () => {
  it('has only packages that run on the oldest Node of engines, and what consumers install is what was tested', () => {
    const manifest: { engines: { node: string }; overrides?: object } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    const oldest = semver.minVersion(manifest.engines.node)?.version ?? ''
    expect(oldest).toBe('20.19.0')
    const others = production.filter(([, { engines }]) => !semver.satisfies(oldest, engines?.['node'] ?? '*'))
    expect(others.map(([path]) => path)).toEqual([])
    // Consumers do not get the overrides of a package.
    expect(manifest.overrides).toBeUndefined()
  })

  it('decides about every install script, so that npm ci has nothing to ask', () => {
    const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    expect(Object.keys(allowScripts).sort()).toEqual(
      scripted
        .map(([path]) => path.replace(/^.*node_modules\//, ''))
        .filter((name) => name !== 'fsevents')
        .sort(),
    )
  })

  it('has every package with version and hash, and no place to take it from', () => {
    const wrong = packages.filter(
      ([, { version, integrity, resolved, link }]) =>
        version === undefined || link === true || resolved !== undefined || !integrity?.startsWith('sha512-'),
    )
    expect(wrong.map(([path]) => path)).toEqual([])
    expect(packages.length).toBeGreaterThan(100)
  })

  it('has the packages of every platform, in the version that is asked for', () => {
    const wanted = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).map(([name, range]) => ({ path, name, range })),
    )
    expect(wanted.length).toBeGreaterThan(20)
    const missing = wanted.filter(({ path, name, range }) => {
      const version = locked(path, name)?.version
      // Platform packages are asked for exactly.
      return version === undefined || (/^\d/.test(range) && range !== version)
    })
    expect(missing).toEqual([])
  })

  it('comes from versions, never from repositories or urls', () => {
    const foreign = Object.entries(lock.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies })
        .filter(([, range]) => /^(git|https?|file|link)[:+]|\//.test(range.replace(/^npm:@?[^@]+@/, '')))
        .map(([name, range]) => `${path}: ${name}@${range}`),
    )
    expect(foreign).toEqual([])
  })

  it('needs no install script', () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    // The first two look whether their ready programs run, the third only looks for another copy of itself.
    expect(scripts.map(([path]) => path)).toEqual([
      'node_modules/esbuild',
      'node_modules/msgpackr-extract',
      'node_modules/protobufjs',
    ])
  })

  it('has only permissive licences in production', () => {
    expect(production.length).toBeGreaterThan(50)
    const other = production.filter(([, { license }]) => !PERMISSIVE.includes(license ?? 'none'))
    expect(other.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
  })

  it.each(PATCHED)('has no %s before %s', (name, least) => {
    const copies = production.filter(([path]) => path.endsWith(`node_modules/${name}`))
    expect(copies.length).toBeGreaterThan(0)
    for (const [path, { version = '' }] of copies)
      expect(compareVersions(version, least), `${path}@${version}`).toBeGreaterThanOrEqual(0)
  })
})

/** What a package finds when it asks for another: its own copy, or one further up. */
function locked(path: string, name: string): LockedPackage | undefined {
  const own = `${path === '' ? '' : `${path}/`}node_modules/${name}`
  const found = lock.packages[own]
  if (found !== undefined || path === '') return found
  const parent = path.lastIndexOf('/node_modules/')
  return locked(parent === -1 ? '' : path.slice(0, parent), name)
}

function compareVersions(version: string, other: string): number {
  const [one, two] = [version, other].map((text) => text.split('.').map(Number))
  const index = (one ?? []).findIndex((part, place) => part !== two?.[place])
  return index === -1 ? 0 : (one?.[index] ?? 0) - (two?.[index] ?? 0)
}
