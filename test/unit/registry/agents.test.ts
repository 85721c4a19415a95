import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { normaliseAgent } from '../../../src/registry/normalise-agent.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'

const engine = createTemplateEngine(262_144)

describe('normaliseAgent', () => {
  it('fills in every default', () => {
    expect(normaliseAgent({}, 'main')).toEqual({
      ...{ name: 'main', description: '', engine: 'go', tools: [], protocol: 'native', answer: 'text' },
      ...{ agentRole: 'main', options: {}, limits: {} },
      ...{ prompt: undefined, instructions: undefined, model: undefined, version: undefined },
      parameters: { type: 'object', properties: {} },
      approvals: { ask: [], deny: [] },
      guards: { format: true, refusal: false, duplicate: false, loop: true, repetition: true },
      context: { keepToolResults: -1, compact: true },
    })
  })

  it.each([
    ['agent-browsing is browsing', { role: 'agent-browsing' }, { agentRole: 'browsing' }],
    ['empty texts and nulls say nothing', { model: '', guards: { loop: null } }, { model: undefined }],
    ['one guard leaves the others', { guards: { loop: false } }, { guards: { loop: false, format: true } }],
    ['a list of words', { guards: { refusal: ['no'] } }, { guards: { refusal: ['no'] } }],
    ['limits', { limits: { maxSteps: 3, unknown: 1 } }, { limits: { maxSteps: 3 } }],
    ['a schema', { answer: { type: 'object' } }, { answer: { type: 'object' } }],
  ])('%s', (_name, document, expected) => {
    expect(normaliseAgent(document, 'x')).toMatchObject(expected)
  })

  it.each([
    [[], 'an agent must be an object'],
    [{ protocol: 'mcp' }, 'protocol must be one of native, mcp-xml'],
    [{ role: 'boss' }, 'role must be one of main, browsing'],
    [{ tools: 'm.*' }, 'tools must be an array'],
    [{ limits: { maxSteps: 0 } }, 'limits.maxSteps must be at least 1'],
    [{ context: { keepToolResults: -2 } }, 'context.keepToolResults must be at least -1'],
    [{ answer: { type: 'strnig' } }, 'answer is not a JSON Schema that can be used'],
  ])('refuses %j', (document, message) => {
    expect(() => normaliseAgent(document as never, 'x')).toThrow(message)
  })
})

describe('agents in a catalog', () => {
  const snapshotOf = (documents: Record<string, unknown>) => createSnapshot(documentsOf(documents), engine)

  it('have the path of their key as id', () => {
    const snapshot = snapshotOf({ 'agents:t:main': { tools: [] } })
    expect(snapshot.agents.ids()).toEqual(['t.main'])
    expect(snapshot.agents.get('t.main')?.definition.name).toBe('main')
  })

  it('are diagnosed where their instructions do not parse', () => {
    const { diagnostics, agents } = snapshotOf({ 'agents:t:main': { instructions: '{{.variables.x' } })
    expect(agents.has('t.main')).toBe(false)
    expect(diagnostics).toMatchObject([
      { kind: 'agents', id: 't.main', code: 'template_syntax', severity: 'error' },
    ])
  })

  it('have findings for what they name and is not there', () => {
    const snapshot = snapshotOf({
      'tools:m:read': { url: 'http://x/' },
      'tools:mcp:files:list': { url: 'http://x/' },
      'templates:p:one': { userPrompt: 'x' },
      'agents:t:main': {
        ...{
          tools: ['m.raed', 'm.*', 'far.*', 'files.*', '*', 'agent:t.min', 'm_read'],
          prompt: 'p.on',
          model: 'gtp-5',
        },
        ...{ approvals: { ask: ['m.wirte'] }, descriptoin: 'x', systemPrompt: 'x' },
        limits: { maxStep: 1, rounds: 2 },
        instructions: '{{.variables.nmae}}',
        parameters: [{ name: 'name', type: 'string' }],
      },
    })
    const check = createCatalogCheck(functionLibrary, () => ['gpt-5'])
    const found = [...check(snapshot)].flat().map(({ code, message, hint }) => `${code}: ${message}; ${hint}`)
    expect(found.sort()).toEqual([
      expect.stringMatching(/^undeclared_variable: .*nmae.*did you mean name/),
      'unknown_field: unknown field descriptoin; did you mean description?',
      expect.stringMatching(/^unknown_field: unknown field maxStep in limits; did you mean maxSteps/),
      expect.stringMatching(
        /^unknown_field: unknown field rounds in limits; it takes maxTurns, maxToolTurns, .*maxMs$/,
      ),
      'unknown_field: unknown field systemPrompt; the system message of an agent is instructions',

      'unknown_model: the model gtp-5 is not there; did you mean gpt-5?',
      'unknown_prompt: the prompt p.on is not there; did you mean p.one?',
      'unknown_tool: a tool like far.* is not there; the tools of an MCP server in mcpServers are mcp.<server>.*',
      'unknown_tool: a tool like files.* is not there; did you mean mcp.files.*?',
      'unknown_tool: the agent t.min is not there; did you mean agent:t.main?',
      'unknown_tool: the tool m.raed is not there; did you mean m.read?',
      expect.stringMatching(/^unknown_tool: the tool m\.wirte is not there/),
    ])
  })
})
