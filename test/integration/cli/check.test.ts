import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli, startCli } from '../../support/run-cli.js'
import { waitUntil } from '../../support/wait-until.js'

const CATALOG = {
  'environs/vscode/rules.json': ['no any', 'small files'],
  'templates/a/poem.yaml': [
    'description: A poem',
    'paramters: []',
    'temperature: 0.3',
    'parameters:',
    '  - { name: topic, type: string }',
    '  - { name: tags, type: "string[]" }',
    'userPrompt: |',
    '  About {{.variables.topik}}:',
    '    {{.vscode.rulez}} {{.vscode.rules}}',
    '  {{upperr "x"}}',
  ].join('\n'),
  'templates/a/folded.yaml':
    'messages:\n  - role: user\n    content: >-\n      folded\n      text {{if .x}\n',
  'templates/a/quoted.json': '{\n  "userPrompt": "x\\n\\u00e9{{.variables.", "description": "y"}',
  'templates/a/open.yaml': 'userPrompt: |\n  a\n  {{if .variables}}b\n  c\n',
  'templates/a/short.yaml': 'userPrompt: hi\nparameters: {q: string}\n',
  'extensions/ev.yaml': [
    'name: evaluator',
    'contributes:',
    '  prompts:',
    '    - name: good',
    '      messages:',
    '        - { role: user, content: "{{.nothing.here}}" }',
    "    - { name: bad, userPrompt: 'a {{end}}' }",
  ].join('\n'),
  'prompts/x.yaml': 'userPrompt: x\n',
}

/** The lines without the directory of this test. */
function linesOf(text: string, path: string): string[] {
  const beginnings = [path, relative('.', path)]
  return beginnings
    .reduce((all, beginning) => all.replaceAll(`${beginning}/`, ''), text)
    .trim()
    .split('\n')
}

describe('check', () => {
  it('says where, what and what to write instead', async () => {
    const catalog = createCatalogDirectory(CATALOG)
    const { code, stdout, stderr } = await cli(['check', catalog.path])
    catalog.dispose()
    expect(code).toBe(1)
    expect(linesOf(stdout, catalog.path)).toEqual([
      'extensions/ev.yaml:6:37 warning: the context has no .nothing.here (prompt evaluator.good) [unknown_context]',
      'extensions/ev.yaml:7:40 contributes.prompts[1]: template: evaluator.bad:1: unexpected {{end}}; no {{if}}, {{range}} or {{with}} is open here: this {{end}} is one too many (prompt evaluator.bad) [template_syntax]',
      'prompts:1:1 warning: this folder is not read; name it templates [wrong_folder]',
      `templates/a/folded.yaml:5:17 template: a.folded/messages[0].content:1: bad character U+007D '}'; end the action with }}: one brace is missing [template_syntax]`,
      'templates/a/open.yaml:3:3 template: a.open:4: unexpected EOF; {{if …}} of line 2 has no {{end}} [template_syntax]',
      'templates/a/poem.yaml:2:1 warning: unknown field paramters; parameters is there already [unknown_field]',
      'templates/a/poem.yaml:3:1 warning: unknown field temperature; write it under options: { temperature: … } [unknown_field]',
      'templates/a/poem.yaml:5:5 warning: parameters declares topic, and no template reads it; print it with {{.variables.topic}}, or leave it out [unused_parameter]',
      'templates/a/poem.yaml:6:5 warning: parameters declares tags, and no template reads it; print it with {{.variables.tags}}, or leave it out [unused_parameter]',
      'templates/a/poem.yaml:6:25 warning: parameters[1] has the unknown type string[]: every value is taken; write type: array, items: { type: string } [unknown_type]',
      'templates/a/poem.yaml:8:11 warning: the template reads .variables.topik, and parameters does not declare topik; did you mean topic? [undeclared_variable]',
      'templates/a/poem.yaml:9:7 warning: the context has no .vscode.rulez; did you mean .vscode.rules? [unknown_context]',
      'templates/a/poem.yaml:9:25 warning: .vscode.rules is a list, and prints as [a b]; write {{toYaml .vscode.rules}} or {{toPrettyJson .vscode.rules}} [bare_object]',
      'templates/a/poem.yaml:10:5 warning: the function "upperr" is not defined; did you mean upper? [unknown_function]',
      'templates/a/quoted.json:2:39 template: a.quoted:2: unexpected "." in operand [template_syntax]',
      'templates/a/short.yaml:2:13 parameters is neither a list nor a JSON Schema: it has only the names q; write parameters: [{ name: q, type: string }], or { type: object, properties: { q: { type: string } } } [invalid_prompt]',
    ])
    expect(stderr).toBe('1 extension, 2 prompts, 1 environ, 0 tools: 5 errors, 11 warnings\n')
  })

  it('prints JSON lines and annotations of GitHub Actions', async () => {
    const catalog = createCatalogDirectory({ 'templates/a,b/c.yaml': 'userPrompt: 100%\nnmae: x\n' })
    const json = await cli(['check', catalog.path, '--json'])
    const github = await cli(['check', catalog.path, '--format', 'github'])
    catalog.dispose()
    expect(json.code).toBe(0)
    expect(JSON.parse(linesOf(json.stdout, catalog.path).join())).toEqual({
      location: 'templates/a,b/c.yaml',
      line: 2,
      column: 1,
      severity: 'warning',
      code: 'unknown_field',
      message: 'unknown field nmae',
      hint: 'did you mean name?',
      kind: 'templates',
      id: 'a,b.c',
      servingLastGood: false,
    })
    expect(linesOf(github.stdout, catalog.path)).toEqual([
      '::warning file=templates/a%2Cb/c.yaml,line=2,col=1,title=unknown_field::unknown field nmae; did you mean name?',
    ])
  })

  it('says of a file what is wrong with that document, in the catalog around it', async () => {
    const catalog = createCatalogDirectory({
      ...CATALOG,
      'templates/tools/deep.yaml': 'userPrompt: x\nnmae: x\n',
    })
    onTestFinished(() => catalog.dispose())
    const file = (name: string) => `${catalog.path}/${name}`
    const poem = await cli(['check', file('templates/a/poem.yaml')])
    expect([poem.code, poem.stderr]).toEqual([0, `${file('templates/a/poem.yaml')}: 0 errors, 9 warnings\n`])
    expect(poem.stdout).toContain('did you mean .vscode.rules?')
    const short = await cli(['check', file('templates/a/short.yaml'), '--strict'])
    expect([short.code, short.stdout.match(/\n/g)?.length]).toEqual([1, 1])
    const deep = await cli(['check', file('templates/tools/deep.yaml')])
    expect(deep.stdout).toContain('did you mean name?')
    expect(await cli(['check', file('environs/vscode/rules.json')])).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([
    ['templates/a/notes.txt', /not a document: its name must end in \.json, \.yaml, \.yml/],
    ['notes.yaml', /in no catalog: documents are in folders named extensions, templates/],
  ])('says why %s is no document', async (name, message) => {
    const catalog = createCatalogDirectory({ [name]: 'x: 1' })
    onTestFinished(() => catalog.dispose())
    const { code, stderr } = await cli(['check', `${catalog.path}/${name}`])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  it('counts warnings as errors when asked', async () => {
    const catalog = createCatalogDirectory({ 'templates/a.yaml': 'userPrompt: x\nnmae: x\n' })
    expect((await cli(['check', catalog.path])).code).toBe(0)
    expect((await cli(['check', catalog.path, '--strict'])).code).toBe(1)
    catalog.dispose()
  })

  it('looks again after every change', async () => {
    const catalog = createCatalogDirectory({ 'templates/a.yaml': 'userPrompt: x\nnmae: x\n' })
    const running = startCli(['check', catalog.path, '--watch', '--limit', '2'])
    await waitUntil(() => running.stderr().includes('1 warning'), 'the first look')
    catalog.write('templates/a.yaml', 'userPrompt: "{{.x"\n')
    expect(await running.code).toBe(1)
    expect(linesOf(running.stdout(), catalog.path)).toEqual([
      'templates/a.yaml:2:1 warning: unknown field nmae; did you mean name? [unknown_field]',
      expect.stringMatching(/^templates\/a\.yaml:1:\d+ template: a:1: .* \[template_syntax\]$/),
    ])
    catalog.dispose()
  })

  it.each([
    [['check', '--format', 'xml'], /--format xml: it is one of text, json, github/],
    [['check', '--limit', '2'], /--limit goes with --watch/],
    [['check', '--watch', '--limit', 'x'], /--limit must be a number from 1/],
  ])('%j is a mistake of the command line', async (args, message) => {
    const outcome = await cli(args)
    expect([outcome.code, outcome.stdout]).toEqual([2, ''])
    expect(outcome.stderr).toMatch(message)
  })
})

describe('push', () => {
  const prefix = `check-${process.pid}`
  const redis = new Redis(inject('redisUrl'))
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}:*`)
    if (keys.length > 0) await redis.del(keys)
    redis.disconnect()
  })

  it('writes nothing when check finds errors, unless it is forced', async () => {
    const catalog = createCatalogDirectory({
      'templates/a/bad.yaml': 'userPrompt: "{{.x"\n',
      'templates/a/good.yaml': 'userPrompt: x\n',
      'environs/torn.json': '{"a":',
    })
    await redis.set(`${prefix}:environs:torn`, '{"a":1}')
    const push = (...options: string[]) =>
      cli(['push', catalog.path, inject('redisUrl'), '--prefix', prefix, ...options])
    const refused = await push()
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(linesOf(refused.stderr, catalog.path)).toEqual([
      expect.stringMatching(/^environs\/torn\.json:1:6 .* \[invalid_json\]$/),
      expect.stringMatching(/^templates\/a\/bad\.yaml:1:\d+ .* \[template_syntax\]$/),
      'nothing was written: 2 errors; fix them, or use --force',
    ])
    expect(await redis.keys(`${prefix}:templates:*`)).toEqual([])
    const forced = await push('--force', '--prune')
    expect([forced.code, forced.stdout.trim().split('\n').at(-1)]).toEqual([
      0,
      '2 added, 0 changed, 0 removed',
    ])
    // What cannot be read is neither written nor taken for deleted.
    expect(await redis.get(`${prefix}:environs:torn`)).toBe('{"a":1}')
    catalog.dispose()
  })
})

describe('pull', () => {
  it('writes new files as YAML with blocks, and push says which keys the directory lacks', async () => {
    const prefix = `pull-${process.pid}`
    const redis = new Redis(inject('redisUrl'))
    await redis.set(`${prefix}:templates:a:poem`, '{"userPrompt":"Roses\\nare {{.variables.color}}\\n"}')
    const target = createCatalogDirectory({})
    const pulled = await cli([
      'pull',
      inject('redisUrl'),
      target.path,
      '--prefix',
      prefix,
      '--format',
      'yaml',
    ])
    expect(pulled.code).toBe(0)
    expect(readFileSync(join(target.path, 'templates/a/poem.yaml'), 'utf8')).toBe(
      'userPrompt: |\n  Roses\n  are {{.variables.color}}\n',
    )
    await redis.set(`${prefix}:templates:a:other`, '{"userPrompt":"x"}')
    const pushed = await cli(['push', target.path, inject('redisUrl'), '--prefix', prefix])
    expect(pushed.stderr).toBe('kept 1 key that the directory lacks; --prune deletes them\n')
    await redis.del(`${prefix}:templates:a:poem`, `${prefix}:templates:a:other`)
    redis.disconnect()
    target.dispose()
  })
})
