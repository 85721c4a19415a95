import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DocumentBlock, documentBlocks, documentLanguages } from '../../support/document-blocks.js'
import { type ServiceProcess, startService } from '../../support/service-process.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const programs = documentBlocks('ts', 'js')

/** A project of somebody who has installed the package, and the client that a page is about. */
const project = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-programs-'))
let service: ServiceProcess

beforeAll(async () => {
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules/ai-prompt-shell'))
  mkdirSync(join(project, 'node_modules/@opentelemetry'))
  for (const name of ['openai', '@types', '@opentelemetry/api', '@opentelemetry/sdk-trace-base'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
  writeExporter(join(project, 'node_modules/@opentelemetry/exporter-trace-otlp-proto'))
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  // What `init` writes.
  cpSync(join(root, 'examples/starter'), join(project, 'my-prompts'), { recursive: true })
  service = await startService()
  for (const block of programs) writeFileSync(join(project, fileOf(block)), programOf(block))
})
afterAll(async () => {
  await service.stop()
  rmSync(project, { recursive: true })
})

/** The exporter of the telemetry page, which sends spans to a collector, keeps them here. */
function writeExporter(path: string): void {
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(
    join(path, 'index.js'),
    "export { InMemorySpanExporter as OTLPTraceExporter } from '@opentelemetry/sdk-trace-base'\n",
  )
}

function fileOf({ place, language }: DocumentBlock): string {
  return `${place.replace(/\W+/g, '-')}.${language}`
}

/** What a statement's comment says it gives, is what it gives. */
function programOf({ before, code }: DocumentBlock): string {
  const checked = code.replace(
    /^(?!const |await |\/\/|[ }])(.+?)(?: |\n)\/\/ (?=["'`[{\d])(.+(?:\n\/\/ +.+)*)$/gm,
    (_, expression: string, result: string) =>
      `assert.deepStrictEqual(${expression}, ${result.replace(/\n\/\/ +/g, '\n')})`,
  )
  return `import assert from 'node:assert/strict'\n${atService(`${before}\n${checked}`)}\nvoid assert\n`
}

/** Asks the tests' service, and waits for it: half a second is little for its first answer on a busy machine. */
function atService(code: string): string {
  return (
    code
      .replaceAll('localhost:8080', new URL(service.url).host)
      // The model that is recorded answers as `echo` here.
      .replaceAll(
        "'https://api.openai.com/v1', model: 'gpt-4o-mini'",
        `'${new URL(service.url).origin}/v1', model: 'echo'`,
      )
      .replace(/timeout=0\.5\b|timeoutMs: 500\b/g, (limit) => limit.replace(/[\d.]+$/, '60000'))
  )
}

describe('the programs in the documents', () => {
  it('are these, and other blocks are looked at elsewhere', () => {
    expect(programs.length).toBeGreaterThan(12)
    expect([...documentLanguages()].sort()).toEqual([
      'bash',
      'diff',
      'js',
      'json',
      // By `npm run test:clients`, with the libraries themselves.
      'mjs',
      'py',
      'python',
      'sh',
      'text',
      'ts',
      'yaml',
    ])
  })

  it('show what statements give, and that is compared', () => {
    const results = programs.flatMap((block) => [...programOf(block).matchAll(/^assert\.deepStrictEqual/gm)])
    expect(results.length).toBeGreaterThan(4)
  })

  it('fit the declarations of the package, as strict as can be', () => {
    const files = programs.filter(({ language }) => language === 'ts').map(fileOf)
    expect(files.length).toBeGreaterThan(4)
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
      '--singleThreaded',
    ]
    const modules = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'out']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...modules, ...files], { cwd: project })
    expect(String(stdout)).toBe('')
  })

  it.each(documentBlocks('python'))('$place runs', async ({ code }) => {
    const program = atService(code)
    const environment = { PATH: process.env['PATH'], PYTHONPATH: join(root, 'clients/python') }
    const options = { env: { ...environment, PYTHONDONTWRITEBYTECODE: '1' } }
    const { stdout, stderr } = await run('python3', ['-c', program], options)
    expect(stderr).toBe('')
    expect(stdout).toMatch(code.includes('prompt.source') ? /^service / : /./)
  })

  it.each(programs)('$place runs', async (block) => {
    const file = block.language === 'ts' ? join('out', fileOf(block).replace(/ts$/, 'js')) : fileOf(block)
    const { stderr } = await run(process.execPath, [file], {
      cwd: project,
      env: { ...process.env, RECORD: '1' },
    })
    expect(stderr).toBe('')
  })
})
