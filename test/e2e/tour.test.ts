import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServiceProcess, startService } from '../support/service-process.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** A command of the tour and the answer the README shows for it. */
interface Step {
  readonly command: string
  readonly answer: string
  readonly isJson: boolean
}

function tour(): Step[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, section = ''] = /## Five-minute tour\n([\s\S]*?)\n## Writing prompts/.exec(readme) ?? []
  const blocks = section.matchAll(/```sh\n([\s\S]*?)\n```\n(`{3,4})(json|text)\n([\s\S]*?)\n\2(?=\n)/g)
  return [...blocks].map(([, command = '', , kind, answer = '']) => ({
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

const steps = tour()
// Commands run where a fresh clone would stand, on a copy: one of them edits the catalog.
const clone = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-tour-'))
let service: ServiceProcess

beforeAll(async () => {
  cpSync(join(root, 'examples'), join(clone, 'examples'), { recursive: true })
  for (const name of ['dist', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(clone, name))
  service = await startService({ CATALOG_DIR: join(clone, 'examples/catalog') })
})
afterAll(async () => {
  await service.stop()
  rmSync(clone, { recursive: true })
})

it('has a command for each thing it shows', () => {
  expect(steps.length).toBe(11)
})

// A busy machine may take longer to notice a file than the command waits.
it.each(steps)('$command', { retry: 3 }, async ({ command, answer, isJson }) => {
  const { host } = new URL(service.url)
  const { stdout } = await run('bash', ['-c', command.replaceAll('localhost:8080', host)], { cwd: clone })
  if (isJson) expect(JSON.parse(stdout)).toEqual(pattern(JSON.parse(answer)))
  else expect(stdout.trimEnd()).toBe(answer)
})

/** The Chinese page shows the commands without their answers: they succeed, but for those that show a mistake. */
describe('the tour in Chinese', () => {
  const readme = readFileSync(join(root, 'README.zh-CN.md'), 'utf8')
  const [, section = ''] = /## 五分钟上手\n([\s\S]*?)\n## 编写提示词/.exec(readme) ?? []
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)\n```/g)].map((match) => match[1] ?? '')

  it('has a command for each thing the English one shows', () => {
    expect(commands.length).toBe(steps.length)
  })

  it.each(commands)('%s', { retry: 3 }, async (command) => {
    const { host } = new URL(service.url)
    const there = command.replaceAll('localhost:8080', host)
    const { stdout } = await run('bash', ['-c', there], { cwd: clone })
    expect(stdout).not.toBe('')
    if (!command.includes('curl')) return
    const isMistake = /"max_length":"short"|evaluate_qualty/.test(command)
    expect(JSON.parse(stdout).status === 'error').toBe(isMistake)
  })
})
