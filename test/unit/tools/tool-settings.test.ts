import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { toToolSettings } from '../../../src/tools/tool-settings.js'

function settings(file: object, environment: Readonly<Record<string, string>> = {}) {
  const readFile = () => JSON.stringify(file)
  return toToolSettings(loadConfig({ environment: { CONFIG_FILE: 'c', ...environment }, readFile }))
}

describe('toToolSettings', () => {
  it('joins environment and file', () => {
    const joined = settings(
      {
        toolBaseUrls: { a: 'http://file-a', b: 'http://file-b' },
        mcpServers: { one: { url: 'http://one/mcp' }, two: { command: 'node', mount: false } },
        secrets: { KEY: { env: 'MY_KEY', hosts: ['one'] } },
      },
      {
        TOOL_BASE_URLS: '{"a":"http://environment-a"}',
        TOOL_ALLOWED_HOSTS: '127.0.0.1:*, *.svc.local:80',
        TOOL_TIMEOUT_MS: '700',
        MY_KEY: 'v',
      },
    )
    expect(joined).toMatchObject({
      baseUrls: { a: 'http://environment-a', b: 'http://file-b' },
      allowedHosts: ['127.0.0.1:*', '*.svc.local:80'],
      timeoutMs: 700,
      maxResponseBytes: 1_048_576,
      maxRedirects: 0,
      secrets: { KEY: { value: 'v', hosts: ['one'] } },
      mcpServers: { one: { mount: true }, two: { command: 'node', args: [], mount: false } },
    })
  })

  it.each([{}, { url: 'http://x/mcp', command: 'node' }])('refuses the MCP server %j', (server) => {
    expect(() => settings({ mcpServers: { odd: server } })).toThrow(
      '"odd" needs exactly one of url and command',
    )
  })
})
