import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.js'
import { VERSION } from '../../../src/util/packages/version.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { startRedisServer } from '../../support/redis-server.js'
import { startRedisCluster, startRedisSentinel } from '../../support/redis-topologies.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

let catalog: CatalogDirectory
const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-cli-'))
beforeAll(() => {
  catalog = createCatalogDirectory({
    'templates/a/hello.json': {
      userPrompt: 'Hello {{.variables.name}}{{if .variables.n}} {{.variables.n}}{{end}} from {{.team.name}}',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, n: { type: 'integer' } },
        required: ['name'],
      },
      examples: { ada: { name: 'Ada', n: 3 } },
    },
    'templates/a/chat.yaml': 'messages:\n  - role: user\n    content: "{{.variables.q}}"\n',
    'environs/team/name.json': '"platform"',
    'environs/text.yaml': 'plain text\n',
    'tools/code/refs.json': {
      name: 'refs',
      module: 'code',
      type: 'restful',
      url: '/r',
      description: '',
      parameters: { type: 'object', properties: {} },
    },
    'templates/a/tool.json': { userPrompt: '[{{code_refs}}]' },
  })
})
afterAll(() => {
  catalog.dispose()
  rmSync(scratch, { recursive: true })
})

describe('every command', () => {
  it.each(COMMANDS.map(({ name }) => name))('%s explains itself and names its version', async (name) => {
    const help = await cli([name, '--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(await cli(['help', name])).toEqual(help)
    expect(help.stdout).toMatch(new RegExp(`^Usage: ai-prompt-shell ${name}`))
    expect(await cli([name, '--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
    expect((await cli(['--help'])).stdout).toContain(`  ${name} `)
    expect(help.stdout).toMatch(/\n\nOptions:\n/)
    expect(help.stdout).toMatch(/\n\nExamples:\n {2}ai-prompt-shell /)
    expect((await cli([name, '-h'])).stdout).toBe(help.stdout)
    const longest = Math.max(...help.stdout.split('\n').map((line) => line.length))
    expect(longest).toBeLessThanOrEqual(120)
  })

  it.each([
    [['rendr'], /unknown command "rendr", did you mean "render"\?/],
    [['--prot'], /Unknown option '--prot'/],
    [['render'], /missing <prompt id>: render <prompt id>/],
    [['render', 'a', 'b'], /unexpected argument "b"/],
    [['render', 'a.hello', '--vars'], /--vars/],
    [['render', 'a.hello', '-v', 'noequals'], /write it as name=value/],
    [['render', 'a.hello', '--vars', '/nowhere.json'], /--vars \/nowhere.json/],
    [['check', '/nowhere'], /"\/nowhere" does not exist/],
    [['push', 'x', 'not-a-url'], /"not-a-url" is not a Redis URL: write redis:\/\/not-a-url/],
    [['pull', 'redis://x'], /missing <directory>: pull <redis url> <directory>/],
    [['check', '--catalogue'], /Unknown option/],
    [['check', '--wach'], /Unknown option '--wach', did you mean "--watch"\?/],
    [['--verson'], /Unknown option '--verson', did you mean "--version"\?/],
    [['watch', '/nowhere'], /"\/nowhere" does not exist/],
    [['watch', 'http://:x'], /is not the URL of a service/],
    [['watch', '--url', 'redis://x'], /is not the URL of a service/],
    [
      ['watch', 'http://a', '--url', 'http://b'],
      /give a URL or a place, not both: http:\/\/a, --url http:\/\/b/,
    ],
    [['render', 'a.hello', '--vars', '/nowhere.json'], /--vars \/nowhere\.json: there is no such file/],
    [['render', 'a.hello', '--vars', '/'], /--vars \/: is a directory/],
    [['render', 'a.hello', '--catalog', 'http://x'], /not a Redis url: http:\/\/x/],
    [['check', 'foo://x'], /not a Redis url: foo:\/\/x/],
    [['push', '.', 'http://x'], /not a Redis url: http:\/\/x/],
    [
      ['agent', 'a', 'hi', '--url', 'nonsense'],
      /nonsense is not the URL of a service: write one such as http/,
    ],
    [['agent', 'a', 'hi', '--api-key', 'k'], /--key goes with --url/],
    [['task', 'hi', '--url', 'nonsense'], /nonsense is not the URL of a service/],
    [['task', 'watch'], /missing <id>: task watch <id>/],
    [['task', 'cancel'], /missing <id>: task cancel <id>/],
    [
      ['task', 'x', '--metadata', '{'],
      /--metadata: is not JSON: Unexpected end.* at line 1, column 2, such as '\{"ticket": 7\}'/,
    ],
    [['task', 'x', '--metadata', '[7]'], /--metadata: must be a JSON object, such as/],
    [['task', 'two', 'words'], /put the description in quotes/],
    [['key', 'n'], /missing --scopes: one or more of read, /],
    [['key', 'n', '--scopes', 'rendr'], /no scope "rendr", did you mean "render"\?/],
    [['key', 'n', '--scopes', 'x'], /no scope "x", it is one of read, /],
    [['key', 'a b', '--scopes', 'render'], /<name>: does not have the right form/],
    [['key', 'n', '--scopes', 'render', '--expires', '2020-01-01'], /--expires 2020-01-01 is in the past/],
    [['render', '--foo'], /\(see ai-prompt-shell render --help\)$/],
    [['--foo'], /\(see ai-prompt-shell --help\)$/],
    [['serve', '--port', 'http'], /--port http: must be a number from 0 to 65535/],
    [['nosuch'], /there is no command and no folder "nosuch"/],
    [['./nosuch'], /"\.\/nosuch" does not exist/],
    [['check', './exmples'], /"\.\/exmples" does not exist: did you mean examples\?/],
    [['exmples'], /there is no command and no folder "exmples": did you mean examples\?/],
    [['watch', 'localhost:41800'], /"localhost:41800" is not a URL: write http:\/\/localhost:41800/],
    [['serve', '.', '--catalog', '.'], /the catalog is given twice, \. and --catalog \.: keep one/],
    [['task', 'x', '--catalog', '.', '--url', 'http://a'], /--catalog and --url exclude each other/],
    [['watch', '--url', 'localhost:8080'], /is not the URL of a service: write http:\/\/localhost:8080/],
    [['help', 'rendr'], /unknown command "rendr", did you mean "render"\?/],
  ])('%j ends with 2 and one clear line', async (args, message) => {
    const outcome = await cli(args, { CATALOG_DIR: catalog.path })
    expect([outcome.code, outcome.stdout]).toEqual([2, ''])
    expect(outcome.stderr.trim()).toMatch(message)
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each([
    [
      ['watch', 'redis://127.0.0.1:1'],
      /^ai-prompt-shell: cannot read the catalog at redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/,
    ],
    [
      ['push', '.', 'redis://:secret@127.0.0.1:1'],
      /^ai-prompt-shell: cannot connect to redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/,
    ],
    [['pull', 'redis://127.0.0.1:1', scratch], /^ai-prompt-shell: cannot connect to .*ECONNREFUSED/],
    [
      ['agent', 'a', 'hi', '--url', 'http://127.0.0.1:2'],
      /^ai-prompt-shell: cannot reach http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/,
    ],
    [
      ['task', 'hi', '--url', 'http://127.0.0.1:2'],
      /^ai-prompt-shell: cannot reach http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/,
    ],
    [
      ['watch', '--url', 'http://127.0.0.1:2'],
      /^ai-prompt-shell: cannot reach http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/,
    ],
    [
      ['render', 'zzzzzz', '--catalog', '.'],
      /^prompt_not_found: No prompt has the id "zzzzzz": the catalog has a\.chat, a\.hello, a\.tool/,
    ],
    [
      ['render', 'zzzzzz'],
      /and \d+ more\. These are the bundled examples: name your catalog with --catalog\n$/,
    ],
    [['render', 'zzzzzz'], /^(?!.*planner\.)/],
    [
      ['agent', 'zzzzzz', 'hi', '--catalog', '.'],
      /^ai-prompt-shell: No agent has the id "zzzzzz": the catalog has none/,
    ],
  ])('%j ends with 1 and says what keeps it', async ([name, ...args], message) => {
    const outcome = await cli([name as string, ...args.map((each) => (each === '.' ? catalog.path : each))])
    expect([outcome.code, outcome.stdout]).toEqual([1, ''])
    expect(outcome.stderr).toMatch(message)
  })

  it.each([
    ['/nonexistent', 'does not exist'],
    ['package.json', 'is not a directory'],
  ])('ends with 78 when CATALOG_DIR is %s', async (CATALOG_DIR, problem) => {
    for (const name of ['serve', 'check']) {
      const outcome = await cli([name], { CATALOG_DIR })
      expect([outcome.code, outcome.stdout]).toEqual([78, ''])
      expect(outcome.stderr).toBe(`Invalid configuration:\n  - CATALOG_DIR: ${CATALOG_DIR} ${problem}\n`)
    }
  })

  it.each([
    [{ HOST: '0.0.0.0' }, /HOST: 0\.0\.0\.0 .*API_KEYS or KEYS_FILE, or ALLOW_ANONYMOUS=true/],
    [{ TRUST_PROXY: 'yes' }, /TRUST_PROXY: "yes" is neither true, false/],
    [{ API_KEY: 'first-key-1' }, /API_KEY: no such setting, did you mean API_KEYS\?/],
  ])('serve ends with 78 when a door is open by mistake: %j', async (environment, message) => {
    const outcome = await cli(['serve'], environment)
    expect([outcome.code, outcome.stdout]).toEqual([78, ''])
    expect(outcome.stderr).toMatch(message)
  })

  it('ends with 78 when the configuration is wrong', async () => {
    const outcome = await cli(['check'], { PORT: 'x', LLM_TYPO: '1' })
    expect(outcome.code).toBe(78)
    expect(outcome.stderr).toMatch(/PORT:.*\n.*LLM_TYPO:/)
  })
})

describe('agent', () => {
  it('says what is wrong with the agent, and talks', async () => {
    const mute = createCatalogDirectory({
      'agents/a/mute.yaml': 'instructions: Help.\ntools: [nothing.*]\n',
    })
    const outcome = await cli(['agent', 'a.mute', 'hi', '--catalog', mute.path])
    mute.dispose()
    expect([outcome.code, outcome.stdout]).toEqual([0, 'hi\n'])
    expect(outcome.stderr).toMatch(
      /mute\.yaml:2:9 warning: a tool like nothing\.\* is not there.*\[unknown_tool\]\n$/,
    )
  })
})

describe('render', () => {
  it('takes the variables of an example, beneath those of the command line', async () => {
    const example = ['render', 'a.hello', '--example', 'ada', '--catalog', catalog.path]
    expect(await cli(example)).toMatchObject({ code: 0, stdout: 'Hello Ada 3 from platform\n' })
    expect((await cli([...example, '-v', 'n=4'])).stdout).toBe('Hello Ada 4 from platform\n')
    const unknown = await cli(['render', 'a.hello', '--example', 'bob', '--catalog', catalog.path])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('--example bob: there is no such example; the prompt has ada')
  })

  it('prints the prompt', async () => {
    const outcome = await cli(['render', 'a.hello', '-v', 'name=42', '-v', 'n=7', '--catalog', catalog.path])
    expect(outcome).toEqual({ code: 0, stdout: 'Hello 42 7 from platform\n', stderr: '' })
  })

  it('takes variables from a file, single ones win', async () => {
    const file = join(scratch, 'vars.json')
    writeFileSync(file, '{"name":"file","n":1}')
    const outcome = await cli(['render', 'a.hello', '--vars', file, '-v', 'n=2'], {
      CATALOG_DIR: catalog.path,
    })
    expect(outcome.stdout).toBe('Hello file 2 from platform\n')
  })

  it('shows the code that the templates run as', async () => {
    const outcome = await cli(['render', 'a.hello', '--show-code', '--catalog', catalog.path])
    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toMatch(/^\/\/ a\.hello\nreturn \[function \(run, out, dot\) \{ \/\/ "/)
    expect(outcome.stdout).toContain('out += text0; // "Hello "')
  })

  it('prints messages as text with their roles, as JSON for programs, warnings beside the result', async () => {
    const chat = ['render', 'a.chat', '-v', 'q=two\nlines', '--catalog', catalog.path]
    expect((await cli(chat)).stdout).toBe('── user ──\ntwo\nlines\n')
    expect(JSON.parse((await cli([...chat, '--json'])).stdout)).toMatchObject({
      kind: 'messages',
      rendered_prompt: [{ role: 'user', content: 'two\nlines' }],
    })
    const tool = await cli(['render', 'a.tool', '--json'], { CATALOG_DIR: catalog.path })
    expect(JSON.parse(tool.stdout)).toMatchObject({
      kind: 'prompt',
      rendered_prompt: '[]',
      warnings: [{ tool: 'code.refs' }],
    })
    expect(tool.stderr).toMatch(/^warning: tool code.refs failed: /)
  })

  it('ends with 1 and says all that is missing', async () => {
    const outcome = await cli(['render', 'a.hello'], { CATALOG_DIR: catalog.path })
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: 'missing_variables:\n  variables.name is required\n',
    })
    const unknown = await cli(['render', 'a.helo'], { CATALOG_DIR: catalog.path })
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'prompt_not_found: No prompt has the id "a.helo". Did you mean "a.hello"?\n',
    ])
  })
})

describe('check', () => {
  it('passes a good catalog', async () => {
    const outcome = await cli(['check', catalog.path])
    expect(outcome).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '0 extensions, 3 prompts, 2 environs, 1 tool: 0 errors, 0 warnings\n',
    })
  })

  it('prints file, line and column of every problem and ends with 1', async () => {
    const broken = createCatalogDirectory({
      'templates/a/syntax.yaml': 'userPrompt: |\n  line\n  {{if}}\n',
      'templates/a/shape.json': '{\n  "userPrompt": 1\n}',
      'environs/bad.json': '{"a":}',
      'templates/a/unknown.json': { userPrompt: '{{nothing_like_this 1}}' },
    })
    const outcome = await cli(['check', broken.path])
    expect(outcome.code).toBe(1)
    const lines = outcome.stdout.trim().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(line).toMatch(/\.(ya?ml|json):\d+:\d+ .+ \[\w+\]$/)
    expect(outcome.stdout).toMatch(/environs\/bad.json:1:6 /)
    expect(outcome.stdout).toMatch(/unknown.json:\d+:\d+ warning: .*nothing_like_this/)
    broken.dispose()
  })
})

describe('push and pull', () => {
  const prefix = `cli-${process.pid}`
  const url = inject('redisUrl')
  const redis = new Redis(url)
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}:*`)
    if (keys.length > 0) await redis.del(keys)
    redis.disconnect()
  })
  const push = (...options: string[]) => cli(['push', catalog.path, url, '--prefix', prefix, ...options])

  it('shows and writes what differs, then nothing', async () => {
    const dry = await push('--dry-run')
    expect(dry.stdout).toContain(`+ ${prefix}:templates:a:hello`)
    expect(dry.stdout).toContain('would be: 6 added, 0 changed, 0 removed')
    expect(await redis.keys(`${prefix}:*`)).toEqual([])
    expect((await push()).stdout).toContain('6 added, 0 changed, 0 removed')
    expect(await redis.get(`${prefix}:environs:text`)).toBe('"plain text"')
    expect(await push()).toEqual({ code: 0, stdout: '0 added, 0 changed, 0 removed\n', stderr: '' })
  })

  it('shows the lines that changed', async () => {
    await redis.set(`${prefix}:templates:a:tool`, '{"userPrompt":"old"}')
    const { stdout } = await push()
    expect(stdout).toBe(
      `~ ${prefix}:templates:a:tool\n    - userPrompt: old\n    + userPrompt: "[{{code_refs}}]"\n0 added, 1 changed, 0 removed\n`,
    )
  })

  it('deletes only when asked', async () => {
    await redis.set(`${prefix}:environs:extra`, '1')
    expect((await push()).stdout).toBe('0 added, 0 changed, 0 removed\n')
    expect((await push('--prune')).stdout).toBe(`- ${prefix}:environs:extra\n0 added, 0 changed, 1 removed\n`)
    expect(await redis.exists(`${prefix}:environs:extra`)).toBe(0)
  })

  it('writes nothing when a file is broken', async () => {
    catalog.write('environs/broken.json', '{')
    const outcome = await push()
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/broken.json:1:\d+ .*\nnothing was written/)
    catalog.remove('environs/broken.json')
  })

  it('pulls the same catalog into an empty directory, and the catalog renders there', async () => {
    const directory = join(scratch, 'pulled')
    await redis.set(`${prefix}:environs:..:escape`, '1')
    const outcome = await cli(['pull', url, directory, '--prefix', prefix])
    expect(outcome.stdout).toContain('6 added')
    expect([outcome.code, outcome.stderr]).toEqual([
      1,
      `${prefix}:environs:..:escape: has no safe file name, left out\n`,
    ])
    await redis.del(`${prefix}:environs:..:escape`)
    expect(existsSync(join(scratch, 'escape.json'))).toBe(false)
    expect(JSON.parse(readFileSync(join(directory, 'environs/team/name.json'), 'utf8'))).toBe('platform')
    expect((await cli(['pull', url, directory, '--prefix', prefix])).stdout).toBe(
      '0 added, 0 changed, 0 removed\n',
    )
    const rendered = await cli(['render', 'a.hello', '-v', 'name=x', '--catalog', directory])
    expect(rendered.stdout).toBe('Hello x from platform\n')
  })

  it('renders and checks straight from Redis', async () => {
    const environment = { KEY_PREFIX: prefix }
    const rendered = await cli(['render', 'a.hello', '-v', 'name=r', '--catalog', url], environment)
    expect(rendered.stdout).toBe('Hello r from platform\n')
    expect((await cli(['check', url], environment)).code).toBe(0)
  })

  it('says at once that no Redis is there, without its password', async () => {
    const outcome = await cli(['push', catalog.path, 'redis://:secret@127.0.0.1:1'])
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toContain('cannot connect to redis://127.0.0.1:1')
    expect(outcome.stderr).toContain('ECONNREFUSED')
    expect(outcome.stderr).not.toContain('secret')
  })

  it.each([
    [
      'redis+sentinel://127.0.0.1:1/mymaster',
      1,
      /cannot connect to redis\+sentinel:\/\/127.0.0.1:1\/mymaster: /,
    ],
    ['redis+cluster://127.0.0.1:1', 1, /cannot connect to redis\+cluster:\/\/127.0.0.1:1: /],
    ['redis://127.0.0.1:1/no-number', 2, /is the number of the database/],
    ['rediss://127.0.0.1:1?tlsCa=/nowhere', 2, /tlsCa: cannot read \/nowhere/],
  ])('says what is wrong with %s', async (wrong, code, message) => {
    const outcome = await cli(['push', catalog.path, wrong])
    expect(outcome.code).toBe(code)
    expect(outcome.stderr).toMatch(message)
  })

  async function pushAndPull(there: string, prefixes: string) {
    const directory = join(scratch, prefixes)
    const options = ['--prefix', prefixes]
    const pushed = await cli(['push', catalog.path, there, ...options])
    expect([pushed.stderr, pushed.stdout]).toEqual(['', expect.stringContaining('6 added')])
    expect((await cli(['pull', there, directory, ...options])).stdout).toContain('6 added')
    expect((await cli(['push', directory, there, ...options])).stdout).toBe('0 added, 0 changed, 0 removed\n')
    const rendered = await cli(['render', 'a.hello', '-v', 'name=x', '--catalog', directory])
    expect(rendered.stdout).toBe('Hello x from platform\n')
  }

  it('goes through sentinels to the master', async () => {
    const servers = await startRedisSentinel()
    await pushAndPull(servers.url, 'sentinel').finally(() => servers.stop())
  })

  it('goes to every node of a cluster', async () => {
    const servers = await startRedisCluster()
    await pushAndPull(servers.url, 'cluster').finally(() => servers.stop())
  })

  it('uses the password of the url, and says when there should be one', async () => {
    const server = await startRedisServer({ args: ['--requirepass', 'sesam'] })
    try {
      await pushAndPull(`redis://:sesam@127.0.0.1:${server.port}`, 'password')
      const without = await cli(['push', catalog.path, server.url])
      expect([without.code, without.stderr]).toEqual([
        1,
        expect.stringContaining('Redis asks for a password'),
      ])
      const wrong = await cli(['push', catalog.path, `redis://:open@127.0.0.1:${server.port}`])
      expect(wrong.stderr).toContain('does not accept the user and password')
    } finally {
      await server.stop()
    }
  })
})
