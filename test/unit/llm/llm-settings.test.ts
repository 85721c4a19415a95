import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { toLlmSettings } from '../../../src/llm/llm-settings.js'

function settings(environment: Record<string, string>, file = '') {
  const readFile = (path: string) => (path === 'key' ? 'sk-file\n' : file)
  return toLlmSettings(loadConfig({ environment: { ...environment, CONFIG_FILE: 'c.yaml' }, readFile }))
}

describe('toLlmSettings', () => {
  it('echoes when nothing is configured', () => {
    expect(settings({})).toEqual({ upstreams: [], tapes: [], routes: [], defaultModel: 'echo' })
  })

  it('makes one upstream of the environment', () => {
    const { upstreams, defaultModel } = settings({
      LLM_BASE_URL: 'http://x/v1',
      LLM_API_KEY_FILE: 'key',
      LLM_MODEL: 'm',
      LLM_TIMEOUT_MS: '700',
    })
    expect(defaultModel).toBe('m')
    expect(upstreams).toMatchObject([
      {
        name: 'default',
        baseUrl: 'http://x/v1',
        apiKey: 'sk-file',
        responses: false,
        timeouts: { connectMs: 700, firstByteMs: 700, idleMs: 700, totalMs: 700, streamTotalMs: 3_600_000 },
      },
    ])
  })

  it('puts the environment’s upstream before the file’s', () => {
    const file = `
upstreams:
  a: { baseUrl: http://a/v1, apiKey: { env: A_KEY }, headers: { x-team: t }, responses: true, idleTimeoutMs: 5, maxQueue: 0 }
models:
  - { match: m, upstream: a }
`
    const { upstreams, routes, defaultModel } = settings({ LLM_BASE_URL: 'http://x/v1', A_KEY: 'k' }, file)
    expect(upstreams.map(({ name }) => name)).toEqual(['default', 'a'])
    expect(upstreams[1]).toMatchObject({
      apiKey: 'k',
      headers: { 'x-team': 't' },
      responses: true,
      maxQueue: 0,
      timeouts: { idleMs: 5, connectMs: 5000 },
    })
    expect(routes).toEqual([{ match: 'm', upstream: 'a' }])
    expect(defaultModel).toBeUndefined()
  })

  it('knows no route to an upstream that is not there', () => {
    const file = 'models: [{ match: m, upstream: b }, { match: n, upstream: default }]'
    expect(() => settings({}, file)).toThrow('CONFIG_FILE /models/0/upstream: no upstream is named "b"')
  })
})
