import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The two eras of the protocol, as clients of today begin a connection. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

/** Connects the unmodified client to an endpoint. */
export async function connectMcp(
  url: string,
  era: Era,
  options: { readonly headers?: Record<string, string>; readonly onPrompts?: () => void } = {},
): Promise<Client> {
  const { headers = {}, onPrompts } = options
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: {},
      versionNegotiation: { mode: era === '2025' ? 'legacy' : 'auto' },
      ...(onPrompts && {
        listChanged: { prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => onPrompts() } },
      }),
    },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return client
}
