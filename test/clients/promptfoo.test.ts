import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServiceProcess, startService } from '../support/service-process.js'
import { clientProject } from './client-project.js'

const run = promisify(execFile)
const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
/** The newest release for Node 20, and the one binary of its that an evaluation needs. */
const PACKAGES = { promptfoo: '0.121.20', [`@libsql/${platform}`]: '0.5.29' }

const folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-promptfoo-'))
let service: ServiceProcess

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

it('promptfoo evaluates a prompt and an agent', async () => {
  const project = clientProject(PACKAGES, { omit: ['optional', 'peer'] })
  const provider = (model: string, config = {}) => ({
    id: `openai:chat:${model}`,
    config: { apiBaseUrl: `${service.url}/v1`, apiKey: 'none', ...config },
  })
  const settings = {
    prompts: ['{{question}}'],
    providers: [
      provider('prompt:writing.role_question', { passthrough: { variables: { question: 'Why?' } } }),
      provider('agent:project.guide'),
    ],
    tests: [{ vars: { question: 'Hello' }, assert: [{ type: 'contains', value: 'Hello' }] }],
  }
  const [file, output] = [join(folder, 'settings.json'), join(folder, 'results.json')]
  writeFileSync(file, JSON.stringify(settings))
  const program = join(project, 'node_modules/promptfoo/dist/src/main.js')
  const quiet = {
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_CONFIG_DIR: folder,
  }
  await run(process.execPath, [program, 'eval', '-c', file, '--no-cache', '--no-table', '-o', output], {
    cwd: folder,
    env: { ...process.env, ...quiet },
  })
  const { stats } = JSON.parse(readFileSync(output, 'utf8')).results
  expect(stats).toMatchObject({ successes: 2, failures: 0, errors: 0 })
}, 400_000)
