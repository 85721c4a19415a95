import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { FULL_ACCESS } from '../access/access.js'
import { McpCaller } from '../mcp/mcp-caller.js'
import type { Shell } from '../open-shell.js'
import { errorMessage } from '../util/error-message.js'
import { loadCatalogConfig, openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, UsageError } from './command.js'
import { OWNER, openLocalAgents } from './local-agents.js'
import { textOption } from './option-values.js'

/** `mcp`: the catalog for one MCP client that starts this program itself. */
export const mcp: Command = {
  help: `mcp [options]

For desktop clients and editors that start their MCP servers themselves. Prompts, shared variables, agents and the
catalog's tools are offered; what changes in the catalog is told to the client. Problems go to standard error.
Ends when standard input does.

      --catalog <where>    a directory or a redis:// url instead of the configured catalog
      --no-tools           offers no tools of the catalog`,
  options: { catalog: { type: 'string' }, 'no-tools': { type: 'boolean' } },
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, values, context) {
    const { pipes } = context
    if (pipes === undefined) throw new UsageError('mcp needs a process with standard input and output')
    const catalog = textOption(values, 'catalog')
    const shell = await openCatalog(context, catalog)
    const agents = openLocalAgents(shell, loadCatalogConfig(context, catalog))
    // Where state is away, sessions say so; all else is served.
    agents.ready.catch(() => {})
    try {
      const { serveMcpStdio } = await import('../mcp/serve-mcp-stdio.js')
      const toolsEnabled = values['no-tools'] !== true
      const dependencies = { ...dependenciesOf(shell), sessions: agents.sessions, toolsEnabled }
      const close = serveMcpStdio(dependencies, callerFor(context), {
        ...pipes,
        onError: (error) => context.stderr(`mcp: ${errorMessage(error)}\n`),
      })
      await endOf(pipes.input, context.signals?.end)
      await close()
    } finally {
      await agents.close()
      await shell.close()
    }
    return EXIT.ok
  },
}

function dependenciesOf({ registry, renderer, tools, chatModels }: Shell) {
  return { registry, renderer, tools, chatModels }
}

function callerFor({ signals }: CliContext): McpCaller {
  const signal = signals?.end ?? new AbortController().signal
  return new McpCaller(FULL_ACCESS, OWNER, Object.freeze({ requestId: 'mcp', signal }))
}

async function endOf(input: Readable, signal: AbortSignal | undefined): Promise<void> {
  const ended = new AbortController()
  const options = { signal: ended.signal }
  const ways = [once(input, 'end', options), once(input, 'close', options)]
  if (signal?.aborted) ended.abort()
  else signal?.addEventListener('abort', () => ended.abort(), { once: true })
  await Promise.race(ways).catch(() => {})
  ended.abort()
  await Promise.allSettled(ways)
}
