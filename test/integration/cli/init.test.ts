import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/util/packages/version.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-init-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const project = join(scratch, 'my-prompts')

describe('init', () => {
  it('makes a project that check finds nothing in, and whose prompt and agent answer', async () => {
    const made = await cli(['init', project])
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain('templates/hello/greeting.yaml')
    expect(made.stdout).toMatch(/Next:\n.*cd .*\n.*npx ai-prompt-shell \. /)
    expect(await cli(['check', project, '--strict'])).toMatchObject({ code: 0, stdout: '' })
    const rendered = await cli(['render', 'hello.greeting', '--catalog', project, '-v', 'name=Ada'])
    expect(rendered.stdout).toMatch(/^Write in English, .*\n\nWelcome Ada to Acme/)
    const answer = await cli(['agent', 'hello.helper', 'Who?', '--catalog', project])
    expect(answer).toMatchObject({ code: 0, stdout: 'Who?\n' })
  })

  it('has the schemas that its documents and its editor settings name', () => {
    const schemas = readdirSync(join(project, '.schemas'))
    const settings: { 'yaml.schemas': Record<string, string> } = JSON.parse(
      readFileSync(join(project, '.vscode/settings.json'), 'utf8'),
    )
    expect(Object.keys(settings['yaml.schemas']).sort()).toEqual(schemas.map((name) => `.schemas/${name}`))
    const folder = join(project, 'templates/hello')
    const [, named = ''] = /\$schema=(\S+)/.exec(readFileSync(join(folder, 'greeting.yaml'), 'utf8')) ?? []
    expect(existsSync(resolve(folder, named))).toBe(true)
  })

  it('names the version that made it in its workflow', () => {
    const workflow = readFileSync(join(project, '.github/workflows/prompts.yml'), 'utf8')
    expect(workflow).toContain(`npx --yes ai-prompt-shell@${VERSION} check`)
  })

  it('is at home in a folder with other files, and overwrites none', async () => {
    const other = mkdtempSync(join(scratch, 'other-'))
    writeFileSync(join(other, 'notes.txt'), 'mine')
    expect((await cli(['init', other])).code).toBe(0)
    writeFileSync(join(other, 'README.md'), 'mine')
    const again = await cli(['init', other])
    expect([again.code, again.stdout]).toEqual([2, ''])
    expect(again.stderr).toContain('nothing was written')
    expect(readFileSync(join(other, 'README.md'), 'utf8')).toBe('mine')
  })
})
