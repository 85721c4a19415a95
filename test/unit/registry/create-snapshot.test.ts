import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import type { PromptEntry } from '../../../src/registry/snapshot.js'
import { Stamp } from '../../../src/registry/stamp.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentOf, documentsOf } from '../../support/documents.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const snapshotOf = (catalog: Record<string, unknown>) =>
  createSnapshot(documentsOf(catalog), createWatchedEngine())

describe('the context object', () => {
  it('is the one of the design document', () => {
    const { context } = snapshotOf({
      'environs:vscode:programming_language': '"go"',
      'environs:vscode:frameworks': ['gin', 'gorm', 'gin-swagger'],
    })
    expect(context).toEqual({
      vscode: { programming_language: 'go', frameworks: ['gin', 'gorm', 'gin-swagger'] },
    })
  })

  it.each([
    {
      name: 'text that is not JSON is a string',
      environs: { a: 'hello there' },
      context: { a: 'hello there' },
    },
    {
      name: 'an object takes precedence over a scalar',
      environs: { a: '1', 'a:b': '2' },
      context: { a: { b: 2 } },
    },
    {
      name: 'objects merge and the deeper key wins',
      environs: { a: { b: 1, c: 1 }, 'a:b': '2' },
      context: { a: { b: 2, c: 1 } },
    },
    {
      name: 'an object takes precedence over a scalar inside too',
      environs: { a: { b: { x: 1 } }, 'a:b': '2' },
      context: { a: { b: { x: 1 } } },
    },
    { name: 'a list is a scalar', environs: { a: [1], 'a:0': '2' }, context: { a: { 0: 2 } } },
    { name: 'dots in a part stay in it', environs: { 'a.b:c': '1' }, context: { 'a.b': { c: 1 } } },
  ])('$name', ({ environs, context }) => {
    const catalog = Object.fromEntries(
      Object.entries(environs).map(([key, value]) => [`environs:${key}`, value]),
    )
    expect(snapshotOf(catalog).context).toEqual(context)
  })

  it('does not depend on the order of the documents', () => {
    const catalog = {
      'environs:a': '1',
      'environs:a:b:c': '2',
      'environs:a:b': '"x"',
      'environs:d': { e: 1 },
    }
    const reversed = Object.fromEntries(Object.entries(catalog).reverse())
    const [one, other] = [snapshotOf(catalog), snapshotOf(reversed)]
    expect(JSON.stringify(one.context)).toBe(JSON.stringify(other.context))
    expect(one.revision).toBe(other.revision)
    expect(one.diagnostics).toEqual(other.diagnostics)
  })

  it('tells about conflicts and reserved names', () => {
    const { diagnostics } = snapshotOf({
      'environs:a': '1',
      'environs:a:b': '2',
      'environs:variables:x': '1',
    })
    expect(diagnostics.map(({ id, code, severity }) => ({ id, code, severity }))).toEqual([
      { id: 'a', code: 'environ_conflict', severity: 'warning' },
      { id: 'variables.x', code: 'reserved_environ', severity: 'warning' },
    ])
  })

  it('holds prototype names as plain data', () => {
    const { context, environs } = snapshotOf({
      'environs:__proto__:polluted': '1',
      'environs:constructor': '"mine"',
      'environs:x': '{"__proto__": {"y": 1}}',
    })
    expect(Object.keys(context).sort()).toEqual(['__proto__', 'constructor', 'x'])
    expect(Object.getOwnPropertyDescriptor(context, '__proto__')?.value).toEqual({ polluted: 1 })
    expect(environs.get('constructor')?.value).toBe('mine')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('keeps the digits of large integers', () => {
    expect(snapshotOf({ 'environs:n': '9007199254740993' }).context).toEqual({ n: 9007199254740993n })
  })

  it('is a view when a directory has very many entries', () => {
    const entries = Array.from({ length: 1000 }, (_, index) => [`environs:big:k${index}`, String(index)])
    const { context } = snapshotOf(Object.fromEntries(entries))
    const big = context['big'] as Record<string, number>
    expect(big['k77']).toBe(77)
    expect(Object.keys(big)).toHaveLength(1000)
    expect(Object.hasOwn(big, 'k1')).toBe(true)
    expect(Object.hasOwn(big, 'toString')).toBe(false)
    expect(big['constructor']).toBeUndefined()
    expect('nope' in big).toBe(false)
    expect(JSON.parse(JSON.stringify(context)).big.k999).toBe(999)
  })
})

/** The body of a prompt, whether it is kept or read again. */
function bodyIn(prompt: PromptEntry | undefined) {
  const body = prompt?.definition.body
  return body?.kind === 'prompt' ? [body.field, body.text] : [body?.kind, body?.messages]
}

describe('prompts', () => {
  const extension = {
    name: 'evaluator',
    contributes: {
      prompts: [
        { name: 'quality', userPrompt: 'from the extension' },
        { name: 'broken', userPrompt: 'a\n{{!' },
        { name: 'fine', messages: [{ role: 'user', content: 'hi {{.variables.who}}' }] },
      ],
    },
  }

  it('come from extensions and from templates, and a direct one beats an extension', () => {
    const { prompts, diagnostics } = snapshotOf({
      'extensions:zgsm:evaluator': extension,
      'templates:evaluator:quality': { userPrompt: 'direct' },
    })
    expect(prompts.ids()).toEqual(['evaluator.fine', 'evaluator.quality'])
    expect(prompts.get('evaluator.quality')).toMatchObject({
      origin: 'direct',
      definition: { name: 'quality' },
    })
    expect(prompts.get('evaluator.fine')).toMatchObject({ origin: 'extension', extension: 'zgsm.evaluator' })
    expect(diagnostics).toMatchObject([
      {
        kind: 'extensions',
        id: 'zgsm.evaluator',
        prompt: 'evaluator.broken',
        code: 'template_syntax',
        // Of the file: the text is the only line of its JSON.
        line: 1,
        column: JSON.stringify(extension).indexOf('{{!') + '{{!'.length,
      },
    ])
  })

  it.each([
    { name: 'no body', value: {}, message: /needs messages or userPrompt/ },
    {
      name: 'two bodies',
      value: { userPrompt: 'a', messages: [{ role: 'user', content: 'b' }] },
      message: /exactly one/,
    },
    { name: 'alias and name', value: { userPrompt: 'a', prompt: 'a' }, message: /exactly one/ },
    { name: 'role', value: { messages: [{ role: 'boss', content: '' }] }, message: /messages\[0\]\.role/ },
    { name: 'not an object', value: [1], message: /the document is a list/ },
    { name: 'not JSON', value: '{"a":', message: /line 1, column 6/ },
    {
      name: 'the values of an enumeration',
      value: { messages: [{ role: 'boss', content: '' }] },
      message: /role must be one of system, developer, user, assistant, tool/,
    },
    {
      name: 'a mistake inside one form of a union',
      value: { userPrompt: '', parameters: [{ name: 'a', description: 7 }] },
      message: /^parameters\[0\]\.description must be a string$/,
    },
    {
      name: 'a schema without keywords',
      value: { userPrompt: '', parameters: { q: 'string' } },
      message: /parameters is neither a list nor a JSON Schema/,
    },
    {
      name: 'schema',
      value: { userPrompt: '', parameters: { type: 'object', required: 'a' } },
      message: /parameters is not a JSON Schema/,
    },
    {
      name: 'pattern',
      value: { userPrompt: '', parameters: { properties: { a: { pattern: '(' } } } },
      message: /parameters is not a JSON Schema/,
    },
  ])('are refused with a diagnostic: $name', ({ value, message }) => {
    const { prompts, diagnostics } = snapshotOf({
      'templates:a:b': value,
      'templates:a:c': { userPrompt: 'x' },
    })
    expect(prompts.ids()).toEqual(['a.c'])
    expect(diagnostics).toHaveLength(1)
    expect(diagnostics[0]?.message).toMatch(message)
    expect(diagnostics[0]).toMatchObject({
      kind: 'templates',
      id: 'a.b',
      severity: 'error',
      servingLastGood: false,
    })
  })

  it('have parameters as JSON Schema, whichever form they were written in', () => {
    const { prompts } = snapshotOf({
      'templates:a:list': {
        userPrompt: 'x',
        parameters: [
          { name: 'repo', type: 'string', default: '', description: '仓库地址' },
          { name: 'lang', type: 'string', enum: ['go', 'c'] },
          { name: 'depth', type: 'int', required: false },
          { name: '__proto__', type: 'any' },
        ],
      },
      'templates:a:schema': {
        prompt: 'x',
        parameters: { properties: { n: { type: 'integer' } }, required: ['n'] },
      },
      'templates:a:none': { prompt: 'x' },
    })
    const properties = Object.fromEntries([
      ['repo', { type: 'string', default: '', description: '仓库地址' }],
      ['lang', { type: 'string', enum: ['go', 'c'] }],
      ['depth', { type: 'integer' }],
      ['__proto__', {}],
    ])
    const parametersOf = (id: string) => prompts.get(id)?.definition.parameters
    expect(parametersOf('a.list')).toEqual({ type: 'object', properties, required: ['lang', '__proto__'] })
    expect(parametersOf('a.schema')).toEqual({
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
    })
    expect(parametersOf('a.none')).toEqual({ type: 'object', properties: {} })
  })

  it.each<{ name: string; document: object; definition: object }>([
    {
      name: 'null',
      document: {
        ...{ userPrompt: 'x', messages: null, supports: null, parameters: null, returns: null },
        ...{ description: null, options: null, tools: null, model: null, engine: null, version: null },
      },
      definition: { body: { text: 'x' }, supports: [], description: '', engine: 'go', model: undefined },
    },
    {
      name: 'empty texts',
      document: { userPrompt: 'x', prompt: '', name: '', engine: '', model: '' },
      definition: { name: 'b', engine: 'go', model: undefined },
    },
    {
      name: 'an empty body beside the real one',
      document: { userPrompt: '', messages: [{ role: 'user', content: 'x', name: '', tool_calls: null }] },
      definition: { body: { kind: 'messages', messages: [{ role: 'user', content: 'x' }] } },
    },
    {
      name: 'an empty body alone is a body',
      document: { userPrompt: '' },
      definition: { body: { kind: 'prompt', text: '' } },
    },
    {
      name: 'keys of messages that other programs know',
      document: { messages: [{ role: 'user', content: 'x', prefix: true }] },
      definition: { body: { messages: [{ role: 'user', content: 'x', prefix: true }] } },
    },
    {
      name: 'types that other programs know',
      document: {
        userPrompt: 'x',
        parameters: [
          { name: 'f', type: 'file', description: null },
          { name: 'e', type: '' },
        ],
      },
      definition: { parameters: { type: 'object', properties: { f: {}, e: {} }, required: ['f', 'e'] } },
    },
    {
      name: 'a default of null, which means optional',
      document: { userPrompt: 'x', parameters: [{ name: 'a', type: 'string', default: null }] },
      definition: { parameters: { type: 'object', properties: { a: { type: 'string' } } } },
    },
    {
      name: 'a schema with nulls',
      document: { userPrompt: 'x', parameters: { type: 'object', properties: { a: {} }, required: null } },
      definition: { parameters: { type: 'object', properties: { a: {} } } },
    },
  ])('may say nothing in the ways of other programs: $name', ({ document, definition }) => {
    const { prompts, diagnostics } = snapshotOf({
      'templates:a:b': document,
      'extensions:e': { name: 'e', contributes: { prompts: [{ ...document, name: 'b' }], languages: null } },
    })
    expect(diagnostics).toEqual([])
    expect(prompts.get('a.b')?.definition).toMatchObject(definition)
    expect(bodyIn(prompts.get('e.b'))).toEqual(bodyIn(prompts.get('a.b')))
  })
})

describe('extensions that depend on another one', () => {
  const extension = (name: string, version: string, ...dependences: object[]) => ({
    name,
    version,
    contributes: { prompts: [{ name: 'p', userPrompt: name }], dependences },
  })
  const needs = (name: string, version = '^1.0.0') => ({ name, version, failStrategy: 'abort' })
  const lacks = (id: string, name: string) =>
    `${id}: the extension needs "${name}": the catalog has neither an extension nor a module of tools with this name`

  it.each<{ name: string; catalog: Record<string, unknown>; served: string[]; errors: string[] }>([
    {
      name: 'are served when it is not there, with an error',
      catalog: { 'extensions:a': extension('a', '1.0.0', needs('b')) },
      served: ['a.p'],
      errors: [lacks('a', 'b')],
    },
    {
      name: 'or in another version; what needs them has them',
      catalog: {
        'extensions:a': extension('a', '1.0.0', needs('b'), needs('d')),
        'extensions:b': extension('b', '2.0.0'),
        'extensions:c': extension('c', '1.0.0', needs('a')),
      },
      served: ['a.p', 'b.p', 'c.p'],
      errors: ['a: the extension needs "b" ^1.0.0: the catalog has it in 2.0.0', lacks('a', 'd')],
    },
    {
      name: 'have it, also in circles, and in tools of that module',
      catalog: {
        'extensions:a': extension('a', '1.0.0', needs('b'), needs('code')),
        'extensions:b': extension('b', '1.1.0', needs('a')),
        'tools:code:refs': { url: '/refs' },
      },
      served: ['a.p', 'b.p'],
      errors: [],
    },
    {
      name: 'have it in an extension of another type, by its name or its key',
      catalog: {
        'extensions:a': extension('a', '1.0.0', needs('b'), needs('c')),
        'extensions:x:y': { name: 'b', version: '1.2.0', extensionType: 'scanner' },
        'extensions:x:c': { extensionType: 'theme' },
      },
      served: ['a.p'],
      errors: [],
    },
    {
      name: 'make no error when they say ignore',
      catalog: { 'extensions:a': extension('a', '1.0.0', { ...needs('b'), failStrategy: 'ignore' }) },
      served: ['a.p'],
      errors: [],
    },
  ])('$name', ({ catalog, served, errors }) => {
    const { prompts, extensions, diagnostics } = snapshotOf(catalog)
    expect(prompts.ids()).toEqual(served)
    expect(extensions.ids()).toEqual(served.map((id) => id.slice(0, -2)))
    const told = diagnostics.filter(({ severity }) => severity === 'error')
    expect(told.map(({ id, message }) => `${id}: ${message}`)).toEqual(errors)
    for (const { code, line } of told) expect([code, line]).toEqual(['missing_dependence', 1])
  })

  it('are served whatever comes and goes', () => {
    const catalog = new Catalog(createWatchedEngine())
    const put = (key: string, value: unknown, place: number) =>
      catalog.put(documentOf(key, value), new Stamp(place))
    const now = () => {
      const { snapshot, changes = [] } = catalog.commit() ?? {}
      const removed = changes.filter(({ change }) => change === 'removed').map(({ id }) => id)
      return { ids: snapshot?.prompts.ids(), errors: snapshot?.diagnostics.length, removed }
    }
    put('extensions:a', extension('a', '1.0.0', needs('b')), 1)
    expect(now()).toEqual({ ids: ['a.p'], errors: 1, removed: [] })
    put('extensions:b', extension('b', '1.0.0'), 2)
    expect(now()).toEqual({ ids: ['a.p', 'b.p'], errors: 0, removed: [] })
    put('extensions:b', extension('b', '3.0.0'), 3)
    expect(now()).toEqual({ ids: ['a.p', 'b.p'], errors: 1, removed: [] })
    catalog.remove({ kind: 'extensions', path: ['b'] }, new Stamp(4))
    expect(now()).toEqual({ ids: ['a.p'], errors: 1, removed: ['b', 'b.p'] })
    put('extensions:a', extension('a', '1.0.2'), 5)
    expect(now()).toEqual({ ids: ['a.p'], errors: 0, removed: [] })
    catalog.remove({ kind: 'extensions', path: ['a'] }, new Stamp(6))
    expect(now()).toEqual({ ids: [], errors: 0, removed: ['a', 'a.p'] })
  })
})

describe('tools', () => {
  it('are functions with underscores', () => {
    const { tools, functions } = snapshotOf({
      'tools:codebase:lookup_ref': { type: 'restful', url: '/ref' },
      'tools:codebase:caller': { type: 'restful', url: '/caller' },
      'tools:mcp:chrome:xx': { type: 'mcp', mcp: { server: 'chrome' } },
    })
    expect(functions.ids()).toEqual(['codebase_caller', 'codebase_lookup_ref', 'mcp_chrome_xx'])
    expect(tools.ids()).toEqual(['codebase.caller', 'codebase.lookup_ref', 'mcp.chrome.xx'])
  })

  it('may say nothing in the ways of other programs', () => {
    const { tools, diagnostics } = snapshotOf({
      'tools:a': {
        ...{
          url: '/a',
          name: '',
          type: '',
          description: null,
          supports: null,
          parameters: null,
          returns: null,
        },
        ...{ restful: { url: '', method: '' }, grpc: null, mcp: null, headers: null, timeoutMs: null },
      },
    })
    expect(diagnostics).toEqual([])
    expect(tools.get('a')?.definition).toMatchObject({ name: 'a', connection: { url: '/a', method: 'POST' } })
  })

  it.each([
    { value: { type: 'restful', url: '/x' }, connection: { type: 'restful', url: '/x', method: 'POST' } },
    {
      value: { restful: { url: '/x', method: 'get' } },
      connection: { type: 'restful', url: '/x', method: 'GET' },
    },
    {
      value: { type: 'grpc', grpc: { url: 'h:1', method: 'p.S/M' } },
      connection: { type: 'grpc', url: 'h:1', method: 'p.S/M' },
    },
    {
      value: { grpc: { method: 'p.S/M' }, url: 'h:1' },
      connection: { type: 'grpc', url: 'h:1', method: 'p.S/M' },
    },
    {
      value: { mcp: { url: 'http://h', tool: 't' } },
      connection: { type: 'mcp', url: 'http://h', server: undefined, tool: 't' },
    },
    { value: { type: 'mcp' }, connection: { type: 'mcp', url: undefined, server: 'm', tool: 'n' } },
  ])('have one form of connection: $value', ({ value, connection }) => {
    expect(snapshotOf({ 'tools:m:n': value }).tools.get('m.n')?.definition.connection).toEqual(connection)
  })

  it('of one function name: the lowest key wins, and the other is told', () => {
    const { functions, diagnostics } = snapshotOf({
      'tools:a_b': { url: '/second' },
      'tools:a:b': { url: '/first' },
      'tools:bad': { type: 'restful' },
    })
    expect(functions.get('a_b')?.id).toBe('a.b')
    expect(diagnostics).toMatchObject([
      { id: 'a_b', location: 'shenma:tools:a_b', code: 'duplicate_id' },
      { id: 'bad', code: 'invalid_tool', message: 'a restful tool needs url or restful.url' },
    ])
  })

  it('fall back to their default, then to that of what they return', () => {
    const { tools } = snapshotOf({
      'tools:a': { url: '/a', default: null },
      'tools:b': { url: '/b', returns: { type: 'string', default: 'x' } },
      'tools:c': { url: '/c' },
    })
    expect(['a', 'b', 'c'].map((id) => tools.get(id)?.definition.fallback)).toEqual([null, 'x', undefined])
  })
})
