import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runMain, type ServiceProcess, startService } from '../support/service-process.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** A command of a page and the answer that the page shows for it. */
interface Step {
  readonly command: string
  readonly answer: string
  readonly isJson: boolean
}

const BLOCK = /```sh\n([\s\S]*?)\n```\n(`{3,4})(json|text)\n([\s\S]*?)\n\2(?=\n)/g

function stepsOf(file: string): readonly Step[] {
  const page = readFileSync(join(root, file), 'utf8')
  return [...page.matchAll(BLOCK)].map(([, command = '', , kind, answer = '']) => ({
    command,
    answer,
    isJson: kind === 'json',
  }))
}

/** `…` stands for anything. */
function pattern(value: unknown): unknown {
  if (value === '…') return expect.anything()
  if (Array.isArray(value)) return value.map(pattern)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pattern(item)]))
}

// Commands run where a fresh clone would stand, on a copy: one of them edits the catalog.
const clone = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-tour-'))
let service: ServiceProcess
let project: ServiceProcess
let versions: ServiceProcess

beforeAll(async () => {
  cpSync(join(root, 'examples'), join(clone, 'examples'), { recursive: true })
  for (const name of ['dist', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(clone, name))
  for (const folder of ['my-prompts', 'my-versions'])
    expect(await runMain(['init', join(clone, folder)])).toMatchObject({ code: 0, stderr: '' })
  ;[service, project, versions] = await Promise.all([
    startService({ CATALOG_DIR: join(clone, 'examples/catalog') }),
    startService({ CATALOG_DIR: join(clone, 'my-prompts') }),
    startService({ CATALOG_DIR: join(clone, 'my-versions') }),
  ])
})
afterAll(async () => {
  await Promise.all([service.stop(), project.stop(), versions.stop()])
  rmSync(clone, { recursive: true })
})

/** What a command prints, asked of a service of the tests, with the package as it was built. */
async function outputOf(command: string, { url }: ServiceProcess): Promise<string> {
  const here = command
    .replaceAll('localhost:8080', new URL(url).host)
    .replaceAll('npx ai-prompt-shell', `"${process.execPath}" dist/main.js`)
  const { stdout, stderr } = await run('bash', ['-c', here], { cwd: clone })
  return `${stdout}${stderr}`.trimEnd()
}

async function follow({ command, answer, isJson }: Step, asked: ServiceProcess): Promise<void> {
  const output = await outputOf(command, asked)
  if (isJson) expect(JSON.parse(output)).toEqual(pattern(JSON.parse(answer)))
  else expect(output).toBe(answer)
}

/**
 * Like {@link follow}, where the command before wrote files: the service notices them a moment later, when a reader is still
 * reading. It is asked until it did; what writes is run once.
 */
async function followLater(step: Step, asked: ServiceProcess): Promise<void> {
  if (!step.command.includes('curl')) return follow(step, asked)
  await vi.waitFor(() => follow(step, asked), { timeout: 30_000, interval: 100 })
}

describe('the tour', () => {
  const steps = stepsOf('docs/start/tour.md')

  it('has a command for each thing it shows', () => {
    expect(steps.length).toBe(11)
  })

  it.each(steps)('$command', (step) =>
    step.command.includes('sleep') ? followLater(step, service) : follow(step, service),
  )
})

describe('the README, with the project that it creates', () => {
  const steps = stepsOf('README.md')

  it('has a command for each thing it shows', () => {
    expect(steps.length).toBe(7)
  })

  it.each(steps)('$command', (step) => follow(step, project))
})

describe('the guide to versions, in at most eight commands', () => {
  const steps = stepsOf('docs/guides/versions.md')

  it('has a command for each thing it shows', () => {
    expect(steps.length).toBeGreaterThan(3)
    expect(steps.length).toBeLessThanOrEqual(8)
  })

  const here = (text: string) => text.replaceAll('my-prompts', 'my-versions')
  it.each(steps)('$command', ({ command, answer, isJson }) =>
    followLater({ isJson, command: here(command), answer: here(answer) }, versions),
  )

  it('serves what the label points at after all of them', async () => {
    const url = `${versions.url}/api/render/prompts/hello.greeting?label=production`
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(answer.headers.get('x-prompt-version')).toBe('1')
    expect(answer.headers.get('x-prompt-label')).toBe('production')
  })
})

/** The Chinese page shows the commands without their answers: they succeed, but for the one that shows a mistake. */
describe('the README in Chinese', () => {
  const readme = readFileSync(join(root, 'README_zh-CN.md'), 'utf8')
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)\n```/g)].map((match) => match[1] ?? '')

  it('has a command for each thing the English one shows', () => {
    expect(commands.length).toBe(stepsOf('README.md').length)
  })

  it.each(commands)('%s', async (command) => {
    const output = await outputOf(command, project)
    expect(output).not.toBe('')
    if (!command.includes('curl')) return
    expect(JSON.parse(output).error !== undefined).toBe(command.includes('hello.greting'))
  })
})
