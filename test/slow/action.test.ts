import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildTestApp } from '../support/build-test-app.js'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-action-'))
const [bare, work, bin] = ['origin.git', 'work', 'bin'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

const CATALOG = {
  'templates/a/one.yaml':
    'userPrompt: "{{template \\"a.tone\\" .}} One {{.variables.name}}"\nparameters: [{ name: name, type: string }]\nexamples: { ada: { name: Ada } }\n',
  'templates/a/two.yaml': 'userPrompt: "Two, {{template \\"a.tone\\" .}}"\nexamples: { none: {} }\n',
  'templates/a/far.yaml': 'userPrompt: "Far {{template \\"a.two\\" .}}"\nexamples: { none: {} }\n',
  'templates/a/other.yaml': 'userPrompt: Other\nexamples: { none: {} }\n',
  'templates/a/tone.yaml': 'userPrompt: "Be kind."\n',
  'tests/a.test.yaml':
    'prompt: a.one\ntests: [{ example: ada, assert: [{ type: contains, value: One Ada }] }]\n',
} as const

const run = promisify(execFile)
const git = async (...args: string[]) => (await run('git', args, { cwd: work })).stdout.trim()
const write = (path: string, text: string) => {
  const at = join(work, 'prompts', path)
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, text)
}
const commit = async (message: string) => {
  await git('add', '-A')
  await git('commit', '-qm', message)
}

/** Runs the script as a CI does. */
async function action(environment: Record<string, string>) {
  const comment = join(folder, 'comment.md')
  const outcome = await run('sh', [join(work, 'action/run.sh')], {
    cwd: work,
    env: {
      ...{ PATH: `${bin}:${process.env['PATH']}`, HOME: folder, CATALOG: 'prompts', COMMENT_FILE: comment },
      ...{ AI_PROMPT_SHELL: `node ${join(root, 'dist/main.js')}`, ...environment },
    },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error) => ({ code: error.code, output: `${error.stdout}${error.stderr}` }),
  )
  return { ...outcome, comment: readFileSync(comment, 'utf8') }
}

beforeAll(async () => {
  mkdirSync(bin)
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare])
  await run('git', ['clone', '-q', bare, work])
  for (const [name, value] of [
    ['user.name', 'Ann'],
    ['user.email', 'ann@example.com'],
  ] as const)
    await git('config', name, value)
  await git('checkout', '-qb', 'main')
  for (const [path, text] of Object.entries(CATALOG)) write(path, text)
  cpSync(join(root, 'action'), join(work, 'action'), { recursive: true })
  await commit('the first')
  await git('push', '-q', 'origin', 'main')
  await git('checkout', '-qb', 'change')
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

describe('the action', () => {
  it('names every prompt that a changed partial changes, and no other', async () => {
    write('templates/a/tone.yaml', 'userPrompt: "Be brief. ```\\n</details> @everyone"\n')
    await commit('brief')
    const { code, comment } = await action({ BASE: 'origin/main' })
    expect(code).toBe(0)
    expect(comment).toMatch(
      /^<!-- ai-prompt-shell -->\n## Prompts\n\n### Check: passed\n\n\n### Tests: passed\n/,
    )
    for (const id of ['a.one', 'a.two', 'a.far'])
      expect(comment).toMatch(new RegExp(`\\| \`${id}\` \\| 1 of 1|\\| \`${id}\` \\| 2 of 2`))
    expect(comment).not.toContain('a.other')
    expect(comment).toContain('[-kind-]{+brief+}')
    // What prompts say stands in a block of code that it cannot end.
    expect(comment).toContain('\n````\n')
    expect(await git('worktree', 'list')).not.toContain('\n')
  })

  it('fails where a test or a render fails now, and says why', async () => {
    write(
      'templates/a/one.yaml',
      'userPrompt: "Uno {{.variables.nmae}}"\nparameters: [{ name: nmae, type: string }]\n',
    )
    await commit('broken')
    const { code, comment } = await action({ BASE: 'origin/main' })
    expect(code).toBe(1)
    expect(comment).toMatch(/### Tests: failed[\s\S]*has no example "ada"/)
    await git('reset', '-q', '--hard', 'HEAD~1')
  })

  it('writes one comment, which later runs update', async () => {
    const calls = join(folder, 'gh.log')
    writeFileSync(
      join(bin, 'gh'),
      `#!/bin/sh\necho "$@" >>${calls}\ncase "$*" in *--jq*) cat ${folder}/known 2>/dev/null ;; esac\nexit 0\n`,
    )
    chmodSync(join(bin, 'gh'), 0o755)
    const environment = {
      BASE: 'origin/main',
      PULL_REQUEST: '7',
      GH_TOKEN: 'x',
      GITHUB_REPOSITORY: 'ann/prompts',
    }
    const outputs = join(folder, 'outputs')
    await action({ ...environment, GITHUB_OUTPUT: outputs })
    writeFileSync(join(folder, 'known'), '99\n')
    await action(environment)
    const written = readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line.includes('body=@'))
    expect(written.map((line) => line.replace(folder, ''))).toEqual([
      'api repos/ann/prompts/issues/7/comments --field body=@/comment.md',
      'api repos/ann/prompts/issues/comments/99 --method PATCH --field body=@/comment.md',
    ])
    expect(readFileSync(outputs, 'utf8')).toBe(`comment=${join(folder, 'comment.md')}\n`)
  })

  it('says which documents a running service has otherwise than the base', async () => {
    const served = join(folder, 'served')
    cpSync(join(work, 'prompts'), served, { recursive: true })
    writeFileSync(join(served, 'templates/a/tone.yaml'), CATALOG['templates/a/tone.yaml'])
    writeFileSync(join(served, 'templates/a/other.yaml'), 'userPrompt: Changed by hand\n')
    const app = await buildTestApp({ CATALOG_DIR: served })
    try {
      await app.server.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.server.address() as AddressInfo
      const { code, comment } = await action({ BASE: 'origin/main', SERVICE: `http://127.0.0.1:${port}` })
      expect(code).toBe(0)
      expect(comment).toMatch(
        /### Drift of http:\S+: found\n\n {4}prompt a\.other: differs\n {4}1 document differs/,
      )
    } finally {
      await app.close()
    }
  })

  it('publishes what changed on a push, with the commit as note', async () => {
    const cli = (...args: string[]) => run('node', [join(root, 'dist/main.js'), ...args], { cwd: work })
    await git('checkout', '-q', 'main')
    await cli('publish', 'a.one', '--catalog', 'prompts')
    await commit('version 1')
    await git('merge', '-q', '-m', 'merge the change', 'change')
    const { code, comment } = await action({ PUBLISH: 'true' })
    expect([code, comment]).toEqual([0, expect.stringContaining('### Publish: passed')])
    const version = parse(readFileSync(join(work, 'prompts/templates/a/one@2.yaml'), 'utf8'))
    expect(version['x-version'].note).toBe(await git('log', '-1', '--format=%h %s'))
    expect((await action({ PUBLISH: 'true' })).code).toBe(0)
    expect(await git('status', '--short')).toBe('?? prompts/templates/a/one@2.yaml')
  })
})
