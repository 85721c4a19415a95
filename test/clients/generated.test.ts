import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ScriptedUpstream, startScriptedUpstream } from '../../src/testing.js'
import { type CatalogDirectory, createCatalogDirectory } from '../support/catalog-directory.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import { clientProject } from './client-project.js'
import { toVersion30 } from './generated/to-version-30.js'
import { obey } from './obedient-model.js'
import { pythonPackages } from './python-packages.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const document = join(root, 'openapi.yaml')
const programs = join(import.meta.dirname, 'generated')
/** The newest release that comes as an npm package with its program in it. It reads version 3.0. */
const GENERATOR = { '@openapitools/openapi-generator-cli': '1.0.18-4.3.1' }
const TYPESCRIPT = { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' }
/** What its clients import. */
const PYTHON_MODULES = ['urllib3', 'six', 'dateutil', 'certifi']
const OAUTH = 'golang.org/x/oauth2'

let catalog: CatalogDirectory
let upstream: ScriptedUpstream
let service: ServiceProcess
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-generated-'))
  upstream = await startScriptedUpstream(obey)
  catalog = createCatalogDirectory({
    'templates/t/greeting.yaml':
      'userPrompt: Hello {{.variables.name}}.\nparameters: [{name: name, type: string, required: true}]\n',
    'agents/t/helper.yaml': 'instructions: You help.\n',
  })
  service = await startService({
    CATALOG_DIR: catalog.path,
    LLM_BASE_URL: upstream.url,
    LLM_MODEL: 'scripted',
  })
}, 60_000)
afterAll(async () => {
  await service.stop()
  await upstream.close()
  catalog.dispose()
  rmSync(folder, { recursive: true })
})

/** A client in a language, made of our document. */
function generate(language: string, target: string): void {
  const source = join(folder, 'openapi.json')
  writeFileSync(source, JSON.stringify(toVersion30(parse(readFileSync(document, 'utf8')))))
  const program = join(
    clientProject(GENERATOR),
    'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar',
  )
  const options = ['generate', '-i', source, '-g', language, '-o', target, '--package-name', 'shell']
  const { status, stderr, error } = spawnSync('java', ['-jar', program, ...options], { encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`openapi-generator, which needs java, made no client:\n${error ?? stderr}`)
}

function environment(more: Readonly<Record<string, string>> = {}) {
  return { env: { ...process.env, SERVICE_URL: service.url, ...more } }
}

/** The first Python that has what clients import; with packages of its own where none has. */
function python(): readonly [program: string, path: string] {
  const imports = `import ${PYTHON_MODULES.join(', ')}`
  const found = ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', imports]).status === 0,
  )
  if (found !== undefined) return [found, '']
  const packages = ['urllib3==1.26.20', 'six==1.17.0', 'python-dateutil==2.9.0.post0', 'certifi==2025.4.26']
  return ['python3', packages.map(pythonPackages).join(':')]
}

describe('clients that generators make of openapi.yaml compile, and reach the service', () => {
  it('TypeScript, by openapi-typescript', async () => {
    const project = clientProject(TYPESCRIPT)
    const tool = (name: string, file: string) => join(project, 'node_modules', name, file)
    const program = join(project, 'smoke.mts')
    copyFileSync(join(programs, 'smoke.mts'), program)
    const types = join(project, 'service.d.ts')
    await run(process.execPath, [tool('openapi-typescript', 'bin/cli.js'), document, '-o', types])
    const options = '--strict --target es2022 --module nodenext --types node --typeRoots'.split(' ')
    const nodeTypes = join(root, 'node_modules/@types')
    const compiling = run(process.execPath, [tool('typescript', 'bin/tsc'), ...options, nodeTypes, program])
    await compiling.catch(({ stdout }) => {
      throw new Error(stdout)
    })
    await run(process.execPath, [join(project, 'smoke.mjs')], environment())
  }, 200_000)

  it('Python, by openapi-generator', async () => {
    const target = join(folder, 'python')
    generate('python', target)
    const [program, path] = python()
    const paths = environment({ PYTHONPATH: `${target}:${path}` })
    await run(program, [join(programs, 'smoke.py')], paths)
  }, 200_000)

  it('Go, by openapi-generator', async () => {
    const target = join(folder, 'go')
    const generated = join(target, 'generated')
    generate('go-experimental', generated)
    rmSync(join(generated, 'go.mod'))
    copyFileSync(join(programs, 'smoke.go'), join(target, 'smoke.go'))
    // It imports this for a kind of key that the service does not have; nothing is to be downloaded for it.
    mkdirSync(join(target, 'oauth2'))
    copyFileSync(join(programs, 'oauth2.go'), join(target, 'oauth2/oauth2.go'))
    writeFileSync(join(target, 'oauth2/go.mod'), `module ${OAUTH}\n\ngo 1.19\n`)
    const own = `module shell\n\ngo 1.19\n\nrequire ${OAUTH} v0.0.0\n\nreplace ${OAUTH} => ./oauth2\n`
    writeFileSync(join(target, 'go.mod'), own)
    const offline = environment({ GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' })
    const { stdout } = await run('go', ['run', '.'], { ...offline, cwd: target })
    expect(stdout).toBe('all is well\n')
  }, 200_000)
})
