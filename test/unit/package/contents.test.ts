import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { overview } from '../../../src/cli/command-help.js'
import { documentAt, VERSION } from '../../../src/util/packages/version.js'

const root = resolve(import.meta.dirname, '../../..')
/** What each part of it weighs, and each feature of the code, is in docs/explain/benchmarks.md. */
const MAX_PACKED_BYTES = 922_500
const MAX_UNPACKED_BYTES = 2_790_000

interface Packed {
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const packed = (
  JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as readonly Packed[]
)[0] as Packed
const paths = new Set(packed.files.map(({ path }) => path))

describe('the package', () => {
  it('is small', () => {
    expect(packed.size).toBeLessThanOrEqual(MAX_PACKED_BYTES)
    expect(packed.unpackedSize).toBeLessThanOrEqual(MAX_UNPACKED_BYTES)
  })

  it('weighs what its page says', () => {
    const page = readFileSync(join(root, 'docs/explain/benchmarks.md'), 'utf8')
    const said = /`npm pack` makes ([\d,]+) kB/.exec(page)?.[1]?.replace(',', '')
    expect(Math.abs(Number(said) * 1_000 - packed.size)).toBeLessThan(packed.size / 20)
  })

  it('has what it exports and runs, and no source maps', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object
    const named = [...JSON.stringify(manifest).matchAll(/"\.\/(dist\/[^"]+)"/g)].map((match) => match[1])
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !paths.has(path as string))).toEqual([])
    const built = [...paths].filter((path) => path.startsWith('dist/'))
    expect(built.filter((path) => path.endsWith('.map') || pointsToMap(path))).toEqual([])
  })

  it('has the schemas and the API description where they are imported from', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, unknown>>
    }
    expect(exports).toMatchObject({ './schemas/*': './schemas/*', './openapi.yaml': './openapi.yaml' })
    expect([...paths]).toEqual(expect.arrayContaining(['schemas/prompt.json', 'openapi.yaml']))
    const resolved = import.meta.resolve('ai-prompt-shell/schemas/config-file.json', import.meta.url)
    expect(existsSync(new URL(resolved))).toBe(true)
  })

  it('has scripts that every shell runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    // What cmd.exe has not: `exec`, variables in front of a command, and `;`.
    const own = /(?:^|&& )(?:exec |[A-Z_]+=)|;/
    expect(Object.entries(scripts).filter(([, script]) => own.test(script))).toEqual([])
  })

  it('declares what a program can import, and nothing else', () => {
    const declared = [...paths].filter((path) => path.endsWith('.d.ts'))
    expect(declared).toEqual(expect.arrayContaining(['dist/index.d.ts', 'dist/agent.d.ts']))
    // Of the routes nothing but what an app is given and gives.
    expect(
      declared.filter((path) => /^dist\/(cli\/|http\/(?!status\/(?:fleet|prometheus))|main|\.)/.test(path)),
    ).toEqual([])
  })

  it('has every file that its declarations import', () => {
    const declared = [...paths].filter((path) => path.endsWith('.d.ts'))
    expect(declared.length).toBeGreaterThan(10)
    const dead = declared.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)]
        .map((match) => `${normalize(join(dirname(path), match[1] as string))}.d.ts`)
        .filter((target) => !paths.has(target))
        .map((target) => `${path}: ${target}`)
    })
    expect(dead).toEqual([])
  })

  it('has no document but its README, whose links lead into the repository', () => {
    const documents = [...paths].filter((path) => path.endsWith('.md') && !path.startsWith('examples/'))
    expect(documents).toEqual(['README.md'])
    expect(linksOf('README.md').length).toBeGreaterThan(20)
    expect(linksOf('README.md').filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('names documents in messages and help by where they are: in the clone, or at their address', () => {
    const homepage = 'https://git.example/ann/prompts#readme'
    const address = `https://git.example/ann/prompts/blob/v${VERSION}/docs/`
    expect(documentAt('reference/check.md')).toBe('docs/reference/check.md')
    expect(documentAt('reference/check.md', homepage)).toBe(`${address}reference/check.md`)
    expect(overview(homepage)).toContain(`environment variables: ${address}reference/configuration.md`)
    expect(overview(homepage)).toMatch(/Documentation: https:\S+docs\/README\.md$/)
  })

  it('names no document that it does not have in its code, its schemas or the description of its API', () => {
    const texts = [...paths].filter((path) => /^(?:dist\/.*\.js|schemas\/.*|openapi\.yaml)$/.test(path))
    expect(texts.length).toBeGreaterThan(50)
    const named = texts.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...text.matchAll(/docs\/(?:start|guides|reference|explain)\/[\w-]+\.md/g)].map(
        ([found]) => `${path}: ${found}`,
      )
    })
    expect(named).toEqual([])
  })

  it('names documents in messages that there are', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const named = sources.flatMap((file) =>
      [...readFileSync(join(root, 'src', file), 'utf8').matchAll(/documentAt\('([^']+)'/g)].map(
        ([, page = '']) => page,
      ),
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((page) => !existsSync(join(root, 'docs', page)))).toEqual([])
  })
})

function pointsToMap(path: string): boolean {
  return /\.[cm]?js$/.test(path) && readFileSync(join(root, path), 'utf8').includes('//# sourceMappingURL=')
}

function linksOf(document: string): readonly string[] {
  const text = readFileSync(join(root, document), 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map((match) =>
    normalize(join(dirname(document), match[1] as string)).replace(/\/$/, ''),
  )
}
