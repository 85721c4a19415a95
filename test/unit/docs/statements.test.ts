import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.js'
import { MAX_EVENT_BYTES } from '../../../src/llm/limits.js'
import { ListQuery } from '../../../src/schema/api.js'
import { ConfigFile } from '../../../src/schema/config-file.js'
import { KeysFile } from '../../../src/schema/keys-file.js'
import { MAX_CHECK_STEPS } from '../../../src/schema/limits.js'
import { OUR_PREFIXES } from '../../../src/unknown-names.js'
import { getOrCreate } from '../../../src/util/get-or-create.js'
import { publishedApi } from '../../support/published-api.js'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** One line, so that a sentence may be broken anywhere. */
const flat = (file: string) => getOrCreate(FLAT, file, () => read(file).replaceAll(/\s+/g, ' '))
const FLAT = new Map<string, string>()
const pages = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('decisions'))
    .map((name) => join(folder, name))
const PROSE = ['README.md', 'README_zh-CN.md', 'SECURITY.md', ...pages('docs')]
const everywhere = PROSE.map((file) => flat(file)).join('\n')
const whole = (count: number) => count.toLocaleString('en-US')

/** A bound of a schema. */
function numberIn(schema: object, keyword: string): number {
  return Number(Reflect.get(schema, keyword))
}

/** The page that has a section, wherever it is kept. */
function pageOf(name: string): string {
  const file = PROSE.find((each) => each.endsWith(`/${name}`) || each === name)
  if (file === undefined) throw new Error(`no page ${name}`)
  return flat(file)
}

/** What once was written and is not so; no page may say it. */
const NOT_SO: readonly (readonly [truth: string, said: RegExp, once: string])[] = [
  [
    'TOOL_BASE_URLS of the environment takes precedence',
    /beats `TOOL_BASE_URLS`/,
    'the file beats `TOOL_BASE_URLS`',
  ],
  [
    'routes name configured upstreams, and echo is none',
    /`upstream`[^|]*\|[^|]*\|[^|]*or `echo`/,
    '| `upstream` | string | One of `upstreams`, `default`, or `echo` |',
  ],
  ['the status has no staleSince', /staleSince/, '`/api/status` has `staleSince`'],
  [
    'a catalog takes 1.6 times its texts',
    /7 KB a document|0\.5 to 0\.7 GB/,
    'about 7 KB a document: 100,000 documents are 0.5 to 0.7 GB',
  ],
  [
    'an event of a stream has its own bound',
    /largest event of a stream \(32 MiB\)/i,
    'the largest event of a stream (32 MiB)',
  ],
  ['the field is maxConcurrent', /maxConcurrency/, 'upstreams’ `maxConcurrency`'],
  [
    'events carry code and message only',
    /(?:everywhere|every error has) the same body, also inside a stream/i,
    'Everywhere the same body, also inside a stream',
  ],
  [
    'every agent is a model, too',
    /`\/v1` takes a model or a registered prompt/,
    '`/v1` takes a model or a registered prompt',
  ],
  [
    'the tools of prompts run in the service',
    /tools` are only offered/,
    'the prompt’s `tools` are only offered to the model',
  ],
  [
    'KEYS_FILE suffices for another HOST',
    /needs? `API_KEYS` or `ALLOW_ANONYMOUS/,
    'another HOST needs `API_KEYS` or `ALLOW_ANONYMOUS=true`',
  ],
  [
    'keys may come from KEYS_FILE',
    /empty means no authentication/,
    '`API_KEYS`: empty means no authentication',
  ],
  [
    'settings are in docs/reference/configuration.md',
    /configured by environment variables: see the README/,
    'configured by environment variables: see the README',
  ],
  [
    'codes are in docs/reference/errors.md',
    /the README lists them all/i,
    '`error.code`: the README lists them all',
  ],
  [
    'two examples do nothing without a model',
    /examples[^.]*which need no network/,
    'nine examples which need no network',
  ],
  ['constants are named for what they hold', /`k0`, `k1`/, 'constants are `k0`, `k1`'],
  [
    'npm test takes a part of long tables',
    /npm test[^。.]*(?:所有测试|all tests)/,
    '`npm test` 运行所有测试',
  ],
  [
    'HOST=localhost listens on all of its addresses',
    /localhost[^.]*on the first address/,
    '`HOST=localhost` listens on the first address',
  ],
  [
    'a key may come in x-api-key, too',
    /must send as `Authorization: Bearer`|`Authorization` header has no known key/,
    'keys that clients must send as `Authorization: Bearer`',
  ],
  [
    'one figure: 20,000 renders a core',
    /some ten thousand|half of those on loopback/,
    'some ten thousand renders a second',
  ],
  [
    'responses are kept here',
    /What needs a provider that keeps state/,
    'What needs a provider that keeps state is 400',
  ],
  ['three interfaces', /It speaks two dialects: its own/, 'It speaks two dialects: its own and OpenAI’s'],
  [
    'responses and recorded variables are stored, too',
    /`STATE_URL` says, and only those/,
    'kept where `STATE_URL` says, and only those',
  ],
  [
    'diagnostics name files below the catalog',
    /file, with its path on the server|`diagnostics` alone/,
    'The file, with its path on the server, or the key',
  ],
]

describe('statements that were false stay away', () => {
  it.each(NOT_SO)('%s', (_truth, said) => {
    const texts = [...PROSE, 'CHANGELOG.md', 'openapi.yaml'].filter((file) => said.test(flat(file)))
    expect(texts).toEqual([])
  })

  it.each(NOT_SO)('would be found if it came back: %s', (_truth, said, once) => {
    expect(once).toMatch(said)
  })
})

/** What a page says, made of what the code has. */
const SAYS: readonly (readonly [page: string, says: string])[] = [
  ['tools.md', `at most ${whole(MAX_CHECK_STEPS)} steps`],
  ['chat.md', `one event of a stream at most ${MAX_EVENT_BYTES / 2 ** 20} MiB`],
  ['chat.md', '5000, or `LLM_TIMEOUT_MS` if that is less'],
  ['chat.md', 'with a model, a registered prompt or an [agent]'],
  ['chat.md', 'The service runs the calls and sends the results back to the model'],
  ['chat.md', '`structured`, `protocol` and `run_tools`; they never reach the model'],
  ['errors.md', 'Neither `Authorization: Bearer` nor `x-api-key` has a valid API key'],
  ['agents.md', 'except `maxTurns`'],
  [
    'errors.md',
    'The session, its contexts, its memory or its agent has reached a limit; the message names it',
  ],
  ['errors.md', '`/api/chat` passes further fields to the model'],
  ['errors.md', '`turn.failed` and `task.failed` carry `code` and `message` only'],
  ['log.md', '`error` | its message, if it cannot repeat contents'],
  ['operating.md', '`warn` leaves out requests that succeeded'],
  ['operating.md', 'a million prompts of 2 KB take 3.3 GiB'],
  ['scaling.md', 'one core renders 20,000 prompts of 2 KB a second'],
  [
    'http-api.md',
    `\`?limit=\` (${whole(numberIn(ListQuery.properties.limit, 'default'))}, at most ${whole(numberIn(ListQuery.properties.limit, 'maximum'))})`,
  ],
  ['http-api.md', '{items, total, broken, next_cursor?}'],
  ['migration.md', '{items, total, broken, next_cursor?}'],
  ['registry.md', '`shenma:agents:<parts>`'],
  ['mcp.md', '256 KiB (over stdio 4 MiB)'],
  ['playground.md', 'With `API_KEYS` or `KEYS_FILE` the page asks'],
  ['keys.md', 'Keys begin with `aps_`'],
  ['keys.md', 'scopes: - read - render'],
  ['troubleshooting.md', 'HOST: … can be reached from other machines'],
  ['README.md', '`API_KEYS`, `KEYS_FILE` or `ALLOW_ANONYMOUS=true`'],
  ['limits.md', `${whole(numberIn(KeysFile.properties.keys, 'maxItems'))} keys`],
  ['command-line.md', '`agent`: 5 when the turn was cancelled'],
]

describe('pages say what the code does', () => {
  it.each(SAYS)('%s: %s', (page, says) => expect(pageOf(page)).toContain(says))

  it('which beginnings of settings are ours, and may not be mistyped', () => {
    const named = [...pageOf('configuration.md').matchAll(/`([A-Z]+(?:_[A-Z]+)*_)`/g)].map(([, name]) => name)
    expect(named.sort()).toEqual(OUR_PREFIXES.filter((name) => name.endsWith('_')).sort())
  })

  it('which exit codes there are, as commands say them', async () => {
    const table = read(PROSE.find((file) => file.endsWith('command-line.md')) ?? '')
    const listed = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) => codes.split(', '))
    const commands = await Promise.all(COMMANDS.map(({ load }) => load()))
    const said = commands.flatMap(({ about }) =>
      [...about.matchAll(/\bwith (?:code )?(\d+)\b|, (\d+) (?:when|if|for)/g)].map(
        ([, one, other]) => one ?? other,
      ),
    )
    expect(said.length).toBeGreaterThan(3)
    expect(said.filter((code) => !listed.includes(code ?? ''))).toEqual([])
  })

  it('what check prints, as its own help', async () => {
    const { about } = (await COMMANDS.find(({ name }) => name === 'check')?.load()) ?? { about: '' }
    expect(about.replaceAll(/\s+/g, ' ')).toContain('"place:line:column message; hint [code]"')
    expect(pageOf('command-line.md')).toContain('`place:line:column message; hint [code]`')
  })

  it('that routes go to upstreams, which the configuration names', () => {
    expect(JSON.stringify(ConfigFile)).toContain('One of `upstreams`, or `default` for `LLM_BASE_URL`')
    expect(JSON.stringify(ConfigFile)).toContain('`TOOL_BASE_URLS` takes precedence')
    expect(everywhere).toContain('`TOOL_BASE_URLS` takes precedence for a module that both name')
  })
})

interface OpenApi {
  readonly paths: Record<string, Record<string, { requestBody?: { required?: boolean }; responses: object }>>
  readonly components: { readonly responses: Record<string, object> }
}

describe('openapi.yaml', () => {
  const { paths, components }: OpenApi = publishedApi()

  it.each([
    '/api/render/prompts/{id}',
    '/api/chat/prompts/{id}',
    '/api/prompts/{id}/chat',
    '/api/prompts/{id}/render',
  ])('%s needs no body', (path) => expect(paths[path]?.['post']?.requestBody?.required ?? false).toBe(false))

  it('says that the list of models waits for the catalog', () => {
    expect(Object.keys(paths['/v1/models']?.['get']?.responses ?? {})).toContain('503')
  })

  it.each([
    ['/api/tasks/{task}', 'get', '404', 'task_not_found'],
    ['/api/approvals/{approval}', 'post', '404', 'approval_not_found'],
    ['/api/approvals/{approval}', 'post', '409', 'approval_conflict'],
    ['/api/sessions/{session}/turns', 'post', '409', 'session_busy'],
    ['/api/sessions/{session}/turns', 'post', '404', 'session_not_found'],
  ])('%s %s %s has its own code: %s', (path, method, status, code) => {
    const answer: unknown = Reflect.get(paths[path]?.[method]?.responses ?? {}, status)
    const name = /responses\/(\w+)/.exec(JSON.stringify(answer))?.[1] ?? ''
    expect(JSON.stringify(components.responses[name] ?? answer)).toContain(code)
  })
})
