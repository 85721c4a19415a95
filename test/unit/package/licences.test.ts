import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slowIt } from '../../support/slow-it.js'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  readonly license: string
  readonly files: readonly string[]
}
/** Licences that ask for nothing but their text. */
const PERMISSIVE = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', '0BSD']

interface Bundled {
  readonly name: string
  readonly version: string
  readonly license: string
}
interface Sbom {
  readonly components: readonly {
    readonly name: string
    readonly purl: string
    readonly licenses?: readonly {
      readonly license?: { readonly id?: string }
      readonly expression?: string
    }[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** What a script gives: tests know nothing of the types of scripts. */
function run<Value>(code: string): Value {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16_777_216,
  })
  return JSON.parse(text)
}

const { notices, bundled } = run<{ readonly notices: string; readonly bundled: readonly Bundled[] }>(
  `const { bundledPackages } = await import('./scripts/bundled-packages.mjs')
   const { noticesText } = await import('./scripts/write-notices.mjs')
   console.log(JSON.stringify({ notices: await noticesText(), bundled: await bundledPackages() }))`,
)

describe('licences', () => {
  it('of what is in the page are in THIRD-PARTY-NOTICES (run `npm run notices`)', () => {
    expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(['preact', '@codemirror/view']))
    expect(read('THIRD-PARTY-NOTICES')).toBe(notices)
    for (const { name, version, license } of bundled)
      expect(notices).toContain(`${name} ${version} (${license})`)
  })

  it('of what is in the page are permissive', () => {
    expect(bundled.filter(({ license }) => !PERMISSIVE.includes(license))).toEqual([])
  })

  it('go with the package and with the image', () => {
    expect(manifest.files).toContain('THIRD-PARTY-NOTICES')
    expect(read('Dockerfile')).toMatch(/^COPY LICENSE THIRD-PARTY-NOTICES \.\/$/m)
  })

  it('have names that SPDX knows, the own one too', () => {
    expect(PERMISSIVE).toContain(manifest.license)
    expect(read('LICENSE')).toContain('Apache License')
  })

  slowIt(
    'of all parts are in the list of parts, those of the page too',
    () => {
      const { components, dependencies } = JSON.parse(
        execFileSync(process.execPath, ['scripts/sbom.mjs'], {
          cwd: root,
          encoding: 'utf8',
          maxBuffer: 16_777_216,
        }),
      ) as Sbom
      const purls = new Set(components.map(({ purl }) => decodeURIComponent(purl)))
      expect(purls.size).toBe(components.length)
      for (const { name, version } of bundled) expect(purls).toContain(`pkg:npm/${name}@${version}`)
      const [service] = dependencies
      expect(service?.dependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/^preact@/)]))
      const other = components.filter(
        ({ licenses = [] }) => !licenses.some(({ license }) => PERMISSIVE.includes(license?.id ?? '')),
      )
      expect(other.map(({ name }) => name)).toEqual([])
    },
    60_000,
  )
})
