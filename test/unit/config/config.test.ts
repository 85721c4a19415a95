import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig, settingRows } from '../../../src/config.js'

const files: Record<string, string> = {
  '/run/secrets/llm': 'sk-from-file\n',
  '/etc/shell.yaml': `
upstreams:
  deepseek:
    baseUrl: https://api.deepseek.com/v1
    apiKey: { env: DEEPSEEK_KEY }
toolBaseUrls:
  codebase: http://codebase:9000
secrets:
  tracker: { file: /run/secrets/llm, hosts: [tracker.local] }
`,
  '/etc/broken.yaml': 'upstreams: [1]\nupstream: {}\n',
}

function load(environment: Record<string, string>) {
  return loadConfig({
    environment,
    readFile: (path) => {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
      return text
    },
  })
}

function problems(environment: Record<string, string>): readonly string[] {
  return problemsIn(() => load(environment))
}

function problemsOf(text: string): readonly string[] {
  const environment = { CONFIG_FILE: '/etc/shell.yaml' }
  return problemsIn(() => loadConfig({ environment, readFile: () => text }))
}

function problemsIn(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('loadConfig', () => {
  it('has a default for everything a first run needs', () => {
    expect(load({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      keyPrefix: 'shenma',
      renderTimeoutMs: 500,
      renderStrict: false,
      templateCacheSize: 100,
      apiKeys: [],
      file: { upstreams: {}, mcpServers: {} },
    })
  })

  it('reads numbers, booleans, lists and maps', () => {
    const config = load({
      PORT: '0',
      RENDER_STRICT: 'true',
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*, *.svc.local:80',
      TOOL_BASE_URLS: '{"codebase":"http://c:1"}',
      HOST: '',
    })
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 0,
      renderStrict: true,
      toolAllowedHosts: ['127.0.0.1:*', '*.svc.local:80'],
      toolBaseUrls: { codebase: 'http://c:1' },
    })
  })

  it('reads secrets from files and the structured parts from CONFIG_FILE', () => {
    const config = load({
      LLM_API_KEY_FILE: '/run/secrets/llm',
      CONFIG_FILE: '/etc/shell.yaml',
      DEEPSEEK_KEY: 'sk-deep',
    })
    expect(config.llmApiKey).toBe('sk-from-file')
    expect(config.secrets).toEqual({ tracker: { value: 'sk-from-file', hosts: ['tracker.local'] } })
    const reference = config.file.upstreams['deepseek']?.apiKey
    expect(reference && config.resolveSecret(reference)).toBe('sk-deep')
  })

  it('is frozen all the way down', () => {
    const config = load({ CONFIG_FILE: '/etc/shell.yaml', DEEPSEEK_KEY: 'k' })
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.file.upstreams['deepseek'])).toBe(true)
  })

  it.each([
    [
      'LLM_BASE_URL',
      'localhost:11434',
      'must start with http:// or https://: write http://localhost:11434/v1 (',
    ],
    ['LLM_BASE_URL', 'host/openai/v1', ': write http://host/openai/v1 ('],
    ['TOOL_BASE_URL', 'localhost:9000', ': write http://localhost:9000 ('],
    ['REDIS_URL', 'localhost:6379', 'must start with redis://'],
  ])('says what is missing in front of %s', (name, value, says) => {
    expect(problems({ [name]: value })).toEqual([expect.stringContaining(says)])
  })

  it('names every problem at once', () => {
    const found = problems({
      PORT: '99999',
      LOG_LEVEL: 'loud',
      RENDER_TIMOUT_MS: '5',
      RENDER_STRICT: 'maybe',
      LLM_API_KEY: 'x',
      LLM_API_KEY_FILE: '/run/secrets/llm',
      REDIS_URL_FILE: '/nowhere',
      API_KEYS: 'short',
      RATE_LIMIT: '10/day',
      CONFIG_FILE: '/etc/broken.yaml',
    })
    for (const expected of [
      /^PORT: "99999" must be at most 65535/,
      /^LOG_LEVEL: "loud" must be one of trace/,
      /^RENDER_TIMOUT_MS: no such setting, did you mean RENDER_TIMEOUT_MS\?/,
      /^RENDER_STRICT: "maybe" must be a boolean/,
      /^LLM_API_KEY and LLM_API_KEY_FILE are both set/,
      /^REDIS_URL_FILE: cannot read \/nowhere \(ENOENT\)/,
      /^API_KEYS: the value must have at least 8/,
      /^RATE_LIMIT: "10\/day" does not have the right form/,
      /^CONFIG_FILE \/upstreams: must be an object/,
      /^CONFIG_FILE \/: unknown name "upstream"/,
    ]) {
      expect(found).toContainEqual(expect.stringMatching(expected))
    }
    expect(found).toHaveLength(10)
    expect(found.join()).not.toContain('short')
  })

  it.each<[string, string | RegExp]>([
    [
      'upstreams: { a: { baseUrl: "http://x", apiKey: sk-1234567 } }',
      'CONFIG_FILE /upstreams/a/apiKey: must be { env: … } or { file: … }; a secret itself is never written here',
    ],
    [
      'upstreams: { a: { baseUrl: "http://x", apiKey: { name: X } } }',
      'CONFIG_FILE /upstreams/a/apiKey: must be { env: … } or { file: … }',
    ],
    ['upstream: {}', 'CONFIG_FILE /: unknown name "upstream", did you mean "upstreams"?'],
    ['upstreams:\n  a: [1, 2\nmodels: []\n', /^CONFIG_FILE: \/etc\/shell\.yaml:3:1 /],
  ])('says what to write in CONFIG_FILE: %s', (text, expected) => {
    const found = problemsOf(text)
    expect(found).toEqual([typeof expected === 'string' ? expected : expect.stringMatching(expected)])
    expect(found.join()).not.toContain('sk-1234567')
  })

  it('reads no CONFIG_FILE that is nested too deeply, or too large', () => {
    expect(problemsOf(`upstreams: ${'['.repeat(500_000)}`)).toEqual([
      expect.stringContaining('nested too deeply'),
    ])
    expect(problemsOf(`upstreams: {}\n${'# a comment\n'.repeat(100_000)}`)).toEqual([
      expect.stringContaining('larger than 1048576 characters'),
    ])
  })

  it('lists a hundred problems, and counts the others', () => {
    const text = Array.from({ length: 300 }, (_, index) => `unknown${index}: {}\n`).join('')
    expect(() =>
      loadConfig({ environment: { CONFIG_FILE: '/etc/shell.yaml' }, readFile: () => text }),
    ).toThrow(/unknown99"[^\n]*\n {2}- and 200 more$/)
  })

  it.each(['REDIS_SERVICE_HOST', 'REDIS_PORT_6379_TCP_ADDR', 'RENDER_SERVICE_ID', 'PATH'])(
    'leaves %s to others',
    (name) => {
      expect(problems({ [name]: 'x' })).toEqual([])
    },
  )
  const FOREIGN_NAMES = [
    'REDIS_SERVICE_HOST',
    'REDIS_PORT_6379_TCP_ADDR',
    'API_KEYS_PORT',
    'RATE_LIMIT_SERVICE_HOST',
    'RENDER_SERVICE_ID',
    'HOSTNAME',
    'NODE_ENV',
    'NODE_OPTIONS',
    'PATH',
    'HOME',
    'OPENAI_API_KEY',
    'npm_config_proxy',
  ]
  it.each(FOREIGN_NAMES)('leaves %s to others', (name) => {
    expect(load({ [name]: 'x' }).warnings).toEqual([])
  })

  it.each([
    ['REDIS_HOST', undefined],
    ['LLM_KEY', undefined],
    ['TOOL_TIMEOUT', 'TOOL_TIMEOUT_MS'],
    ['API_KEYSS', 'API_KEYS'],
    ['KEY_PREFIXX', 'KEY_PREFIX'],
    ['API_KEY', 'API_KEYS'],
    ['APIKEYS', 'API_KEYS'],
    ['API_KEY_FILE', 'API_KEYS_FILE'],
    ['TRUST_PROXYS', 'TRUST_PROXY'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['TRUST_PROXIES', undefined],
    ['RATELIMIT', 'RATE_LIMIT'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['ALLOW_ANONYMUS', 'ALLOW_ANONYMOUS'],
  ])('refuses %s', (name, meant) => {
    const hint = meant === undefined ? '' : `, did you mean ${meant}?`
    expect(problems({ [name]: 'x' })).toEqual([`${name}: no such setting${hint}`])
  })

  it.each([
    ['LOG_LVL', 'LOG_LEVEL'],
    ['MAX_BODY', 'MAX_BODY_BYTES'],
    ['PORTS', 'PORT'],
    ['DRAIN_TIMEOUT', 'DRAIN_TIMEOUT_MS'],
  ])('wonders about %s', (name, meant) => {
    expect(load({ [name]: 'x' }).warnings).toEqual([`${name} is not a setting, did you mean ${meant}?`])
  })

  it('knows the names that the file takes secrets from', () => {
    files['/etc/own-names.yaml'] =
      'upstreams: { a: { baseUrl: "https://a.example", apiKey: { env: LLM_KEY_OF_A } } }\n'
    expect(problems({ CONFIG_FILE: '/etc/own-names.yaml', LLM_KEY_OF_A: 'k' })).toEqual([])
  })

  it('names a missing secret of the file', () => {
    expect(problems({ CONFIG_FILE: '/etc/shell.yaml' })).toEqual([
      'CONFIG_FILE /upstreams/deepseek/apiKey: DEEPSEEK_KEY is not set',
    ])
  })
})

describe('settingRows', () => {
  it('describes every setting', () => {
    expect(settingRows().length).toBeGreaterThan(15)
    expect(settingRows().filter((row) => row.description === '')).toEqual([])
  })
})
