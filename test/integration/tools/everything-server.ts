import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { McpServerSettings } from '../../../src/tools/tool-settings.js'

/** A published MCP server, of the older protocol, as a program to start. */
export function everythingServer({ mount }: { readonly mount: boolean }): McpServerSettings {
  const require = createRequire(import.meta.url)
  const directory = dirname(require.resolve('@modelcontextprotocol/server-everything/package.json'))
  return {
    command: 'node',
    args: [join(directory, 'dist/index.js'), 'stdio'],
    env: {},
    cwd: undefined,
    mount,
  }
}
