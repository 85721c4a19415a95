import { execFile } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ScriptedUpstream, startScriptedUpstream } from '../../src/testing.js'
import { everythingServer } from '../integration/tools/everything-server.js'
import { type CatalogDirectory, createCatalogDirectory } from '../support/catalog-directory.js'
import { release, version } from '../support/lives.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import { waitUntil } from '../support/wait-until.js'
import { clientProject } from './client-project.js'
import { obey } from './obedient-model.js'
import { OPENAI_FOR_PYTHON, pythonPackages } from './python-packages.js'
import { MAKES } from './two-makes.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const PROGRAMS = readdirSync(join(import.meta.dirname, 'programs'))

/** The newest releases that run on Node 20. */
const CLIENTS = {
  '@ag-ui/client': '1.0.0',
  '@anthropic-ai/sdk': '1.8.0',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/openai-compatible': '2.0.87',
  '@ai-sdk/react': '3.0.326',
  '@langchain/core': '1.4.0',
  '@langchain/openai': '1.5.8',
  ai: '6.0.326',
  langfuse: '3.39.2',
  openai: '6.49.0',
  'portkey-ai': '3.1.0',
  react: '19.3.1',
}

const plain = version('t.plain', 1, {
  userPrompt: 'Hello {{.variables.name}}, welcome to {{ .variables.place }}.',
  model: 'scripted',
})

let catalog: CatalogDirectory
let upstream: ScriptedUpstream
let makes: readonly (readonly [name: string, server: ScriptedUpstream])[]
let service: ServiceProcess
let project: string
let pythonPath: string

beforeAll(async () => {
  project = clientProject(CLIENTS)
  pythonPath = pythonPackages(OPENAI_FOR_PYTHON)
  cpSync(join(import.meta.dirname, 'programs'), project, { recursive: true })
  upstream = await startScriptedUpstream(obey)
  const starts = Object.entries(MAKES).map(
    async ([name, answer]) => [name, await startScriptedUpstream(answer)] as const,
  )
  makes = await Promise.all(starts)
  catalog = createCatalogDirectory({
    'agents/t/sums.yaml': 'instructions: You add.\ntools: [mcp.everything.*]\n',
    'agents/t/careful.yaml': 'tools: [mcp.everything.*]\napprovals: {ask: [mcp.everything.*]}\n',
    'templates/t/plain.json': { userPrompt: 'a draft' },
    'templates/t/plain@1.json': plain.document,
    'releases/t/plain/production.json': release(plain),
    'templates/t/conversation.yaml':
      'messages: [{role: system, content: You greet.}, {role: user, content: "Greet {{.variables.name}}"}]\n',
    'templates/t/text.yaml': 'messages: [{role: system, content: You add.}]\noptions: {protocol: hermes}\n',
  })
  for (const kind of ['templates', 'environs', 'extensions'])
    cpSync(join(root, 'examples/catalog', kind), join(catalog.path, kind), { recursive: true })
  const { command, args, mount } = { ...everythingServer({ mount: true }) } as Record<string, unknown>
  const settings = join(catalog.path, '..', `${catalog.path.split('/').at(-1)}.yaml`)
  const upstreams = Object.fromEntries(makes.map(([name, { url }]) => [name, { baseUrl: url }]))
  writeFileSync(settings, stringify({ upstreams, mcpServers: { everything: { command, args, mount } } }))
  service = await startService({
    CATALOG_DIR: catalog.path,
    CONFIG_FILE: settings,
    LLM_BASE_URL: upstream.url,
    LLM_MODEL: 'scripted',
    TOOL_ALLOWED_HOSTS: '127.0.0.1',
  })
  // Servers of tools are connected to after the service is ready.
  const sum = `${service.url}/api/tools/mcp.everything.get_sum`
  await waitUntil(async () => (await fetch(sum)).ok, 'the tools of the MCP server')
}, 600_000)
afterAll(async () => {
  await service.stop()
  await upstream.close()
  await Promise.all(makes.map(([, server]) => server.close()))
  catalog.dispose()
})

describe('clients as others publish them, against the built service', () => {
  it('are these', () => {
    expect(PROGRAMS.length).toBeGreaterThan(5)
  })

  it.each(PROGRAMS)('%s', async (program) => {
    const environment = { SERVICE_URL: service.url, AI_SDK_LOG_WARNINGS: 'false', PYTHONPATH: pythonPath }
    const interpreter = program.endsWith('.py') ? 'python3' : process.execPath
    await run(interpreter, [program], { cwd: project, env: { ...process.env, ...environment } })
  })
})
