import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseKeys } from '../../../src/access/parse-keys.js'
import { parseCommandLine } from '../../../src/cli/command.js'
import { mcp } from '../../../src/cli/mcp.js'
import { loadConfig } from '../../../src/config.js'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { parseTestFile } from '../../../src/proof/files/read-test-file.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import { ResponsesBody } from '../../../src/schema/chat-api.js'
import { ownSchema } from '../../../src/schema/json-schema.js'
import { checkPlanShape } from '../../../src/tasks/parse-plan.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { parseJson } from '../../../src/util/json/json.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { type DocumentBlock, documentBlocks } from '../../support/document-blocks.js'
import { documentOf } from '../../support/documents.js'
import { readHelmChart } from '../../support/helm-chart.js'
import { publishedApi } from '../../support/published-api.js'
import type { Json } from '../../support/test-app.js'

const root = resolve(import.meta.dirname, '../../..')

/** Long enough for a key of webhooks. */
const SECRET = Buffer.alloc(32, 'secret').toString('base64')

/** What a file says, as it is read: a secret by what its reference is replaced with. */
function asRead(value: Json): Json {
  if (Array.isArray(value)) return value.map(asRead)
  if (typeof value !== 'object' || value === null) return value
  if ('env' in value || 'file' in value) return expect.anything()
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asRead(each)]))
}

/** A configuration file is read with all that it says, and with every secret it names at hand. */
function isConfiguration({ code }: DocumentBlock): void {
  const names = [...code.matchAll(/\{ env: (\w+)/g)].map(([, name]) => [name, SECRET])
  const environment = { CONFIG_FILE: '/config.yaml', ...Object.fromEntries(names) }
  const readFile = (path: string) => (path === '/config.yaml' ? code : SECRET)
  const said = asRead(parse(code))
  expect(Object.keys(said)).not.toEqual([])
  const { file, secrets } = loadConfig({ environment, readFile })
  expect({ ...file, secrets }).toMatchObject(said)
}

/** A document is one that the catalog takes; what it names is not there. */
function isDocument(key: string): (block: DocumentBlock) => void {
  return ({ code }) => {
    const engine = createTemplateEngine(262_144)
    const document = documentOf(key, code, 'yaml')
    const found = [...createCatalogCheck(functionLibrary)(createSnapshot([document], engine))].flat()
    const wrong = found.filter(
      ({ code: rule }) => !/^unknown_(context|partial|tool|agent|model|function)$/.test(String(rule)),
    )
    expect(wrong).toEqual([])
  }
}

/** A plan is one that a task takes. */
function isPlan({ code }: DocumentBlock): void {
  expect(checkPlanShape(parseJson(code)).problems).toEqual([])
}

/** Values of the chart make a Deployment that asks the service in its own words. */
async function areChartValues({ code }: DocumentBlock): Promise<void> {
  const chart = readHelmChart(join(root, 'deploy/helm/ai-prompt-shell'))
  const { objects } = await chart.render(parse(code))
  const [map, deployment]: Json[] = ['ConfigMap', 'Deployment'].map((kind) =>
    objects.find((object) => object.kind === kind),
  )
  const [container] = deployment.spec.template.spec.containers as Json[]
  const environment = Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]))
  const readFile = (path: string) => {
    if (path.endsWith('/config.yaml')) return map.data['config.yaml']
    return path.endsWith('redis-url') ? 'redis://cache:6379' : 'a-long-enough-key'
  }
  const config = loadConfig({ environment, readFile })
  expect(config).toMatchObject({ redisUrl: 'redis://cache:6379', port: 8080, adminPort: 9090 })
  expect(config.file.upstreams['main']?.baseUrl).toBe('https://api.example.com/v1')
  const routes = Object.keys(publishedApi().paths)
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    expect(routes).toContain(container[probe].httpGet.path)
}

/** An answer of the service has the shape of the interface. */
function isJson({ code }: DocumentBlock): void {
  expect(JSON.parse(code)).toMatchObject({ status: expect.stringMatching(/^(success|error)$/) })
}

/** A line of the log names where something happened, and nothing of its contents. */
function isLogLine({ code }: DocumentBlock): void {
  const line: Json = JSON.parse(code)
  expect(line).toMatchObject({ level: 40, msg: expect.any(String), line: expect.any(Number) })
}

/** A keys file is read. */
function isKeysFile({ code }: DocumentBlock): void {
  expect(parseKeys('/keys.yaml', code)).toMatchObject({ ok: true, keys: [{ name: 'web' }] })
}

/** A desktop client starts a command that there is, or sends a key to /mcp. */
function isMcpClient({ code }: DocumentBlock): void {
  const { command, args, url } = JSON.parse(code).mcpServers.prompts
  if (command === undefined) return void expect(new URL(url).pathname).toBe('/mcp')
  expect(args.slice(0, 2)).toEqual(['ai-prompt-shell', 'mcp'])
  expect(() => parseCommandLine(mcp, args.slice(2))).not.toThrow()
}

/** A request for a response has its shape, and answers the questions of an earlier one. */
function isApprovalAnswer({ code }: DocumentBlock): void {
  const body = parseJson(code)
  expect(ownSchema(ResponsesBody)(body)).toMatchObject({ problems: [] })
  expect(body).toMatchObject({
    previous_response_id: expect.stringMatching(/^resp_/),
    input: [{ type: 'mcp_approval_response', approval_request_id: expect.any(String), approve: true }],
  })
}

/** A file of tests is understood, every field of it. */
function isTestFile({ code }: DocumentBlock): void {
  const { problems, tests } = parseTestFile('/tests/a.test.yaml', code)
  expect(problems).toEqual([])
  expect(tests.length).toBeGreaterThan(0)
}

/** A workflow gives the action only inputs that it has. */
function isWorkflow({ code }: DocumentBlock): void {
  const { inputs } = parse(readFileSync(join(root, 'action/action.yml'), 'utf8'))
  const steps: Json[] = Object.values<Json>(parse(code).jobs).flatMap((job) => job.steps)
  const given = steps.filter(({ uses }) => uses.endsWith('/action')).map((step) => Object.keys(step.with))
  expect(given).toHaveLength(1)
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(given.flat()))
}

/** Answers that tests of their own compare, and blocks that one of these functions looks at. */
const ELSEWHERE =
  /^((README|docs\/\w+\/(tour|agents|versions|go-templates))\.md json|docs\/\w+\/(sessions|check)\.md .*)$/
const EXPECTED: Readonly<Record<string, readonly ((block: DocumentBlock) => void | Promise<void>)[]>> = {
  'README.md': [isDocument('templates:hello:greeting')],
  'README_zh-CN.md': [isDocument('templates:hello:greeting')],
  'docs/guides/agents.md': [isDocument('agents:project:guide')],
  'docs/guides/chat.md': [isConfiguration],
  'docs/reference/config-file.md': [isConfiguration],
  'docs/reference/documents.md': [isDocument('templates:review:commit_message')],
  'docs/reference/errors.md': [isJson],
  'docs/reference/keys.md': [isKeysFile],
  'docs/guides/mcp.md': [isMcpClient, isMcpClient],
  'docs/guides/local-models.md': [isConfiguration, isConfiguration],
  'docs/guides/operating.md': [isLogLine],
  'docs/guides/kubernetes.md': [areChartValues],
  'docs/guides/approvals.md': [isDocument('agents:support:clerk')],
  'docs/guides/prompts-in-git.md': [isWorkflow],
  'docs/guides/from-other-tools.md': [isConfiguration],
  'docs/reference/prompts.md': [isDocument('templates:vision:describe')],
  'docs/guides/responses.md': [isApprovalAnswer],
  'docs/guides/tasks.md': [isPlan],
  'docs/guides/testing.md': [isTestFile, isTestFile, isWorkflow, isConfiguration],
  'docs/guides/tools.md': [isDocument('tools:codebase:lookup_ref'), isConfiguration, isJson],
  'docs/guides/versions.md': [isConfiguration],
  'docs/guides/writing-prompts.md': [isDocument('templates:review:commit_message')],
}
const blocks = documentBlocks('json', 'yaml').filter(
  ({ file, language }) => !ELSEWHERE.test(`${file} ${language}`),
)
const rows = blocks.map((block) => {
  const index = blocks.filter(({ file }) => file === block.file).indexOf(block)
  return { place: block.place, block, look: EXPECTED[block.file]?.[index] }
})

describe('documents, settings and answers in the documentation', () => {
  it('are all looked at', () => {
    expect(rows.filter(({ look }) => look === undefined).map(({ place }) => place)).toEqual([])
    expect(rows.length).toBe(Object.values(EXPECTED).flat().length)
  })

  it.each(rows)('$place is taken', ({ block, look }) => look?.(block))
})
