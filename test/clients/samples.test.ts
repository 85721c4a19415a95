import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DocumentBlock, documentBlocks } from '../support/document-blocks.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import { clientProject } from './client-project.js'
import { OPENAI_FOR_PYTHON, pythonPackages } from './python-packages.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const LIBRARIES = {
  '@ai-sdk/openai-compatible': '2.0.87',
  '@langchain/core': '1.4.0',
  '@langchain/openai': '1.5.8',
  ai: '6.0.326',
  openai: '6.49.0',
}
/** What the offline model repeats: the last message, of the prompt or of the SDK. */
const ANSWER = /提问:Why\?|^Go ahead\./

const samples = documentBlocks('sh', 'ts', 'mjs', 'py', 'python').filter(
  ({ file, code }) => file === 'docs/guides/clients.md' && code.includes('role_question'),
)
let service: ServiceProcess
let project: string
let pythonPath: string

beforeAll(async () => {
  project = clientProject(LIBRARIES)
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  spawnSync('rm', ['-f', join(project, 'node_modules/ai-prompt-shell')])
  symlinkSync(root, join(project, 'node_modules/ai-prompt-shell'))
  pythonPath = [join(root, 'clients/python'), pythonPackages(OPENAI_FOR_PYTHON)].join(':')
  service = await startService()
}, 600_000)
afterAll(() => service.stop())

async function outputOf({ language, code }: DocumentBlock, index: number): Promise<string> {
  const here = code.replaceAll('localhost:8080', new URL(service.url).host)
  const environment = { ...process.env, AI_SDK_LOG_WARNINGS: 'false', PYTHONPATH: pythonPath }
  const options = { cwd: project, env: environment }
  if (language === 'sh') return (await run('bash', ['-c', here], options)).stdout
  if (language.startsWith('py')) return (await run('python3', ['-c', here], options)).stdout
  // What these samples have of TypeScript is JavaScript.
  const file = `sample-${index}.mjs`
  writeFileSync(join(project, file), here)
  return (await run(process.execPath, [file], options)).stdout
}

describe('the samples of docs/guides/clients.md and of the page, with the libraries themselves', () => {
  it('are one of each way', () => {
    expect(samples.map(({ language }) => language).sort()).toEqual([
      'mjs',
      'mjs',
      'py',
      'python',
      'sh',
      'ts',
      'ts',
    ])
  })

  it.each(samples.map((sample, index) => ({ ...sample, at: index })))('$place', async ({ at, ...sample }) => {
    expect(await outputOf(sample, at)).toMatch(ANSWER)
    // The prompt cannot do without its variable: it has got through.
    const code = sample.code.replace('"question"', '"quetsion"')
    expect(await outputOf({ ...sample, code }, at).catch(() => 'refused')).not.toMatch(ANSWER)
  })
})
