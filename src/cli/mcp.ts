import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { FULL_ACCESS } from '../access/access.js'
import type { Config } from '../config.js'
import { McpCaller } from '../mcp/mcp-caller.js'
import { type OpenAgents, openAgents } from '../open-agents.js'
import type { Shell } from '../open-shell.js'
import { compileInlinePrompt } from '../prompts/inline-prompt.js'
import { errorMessage } from '../util/errors/error-message.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { loadCatalogConfig, openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, UsageError } from './command.js'

/** `mcp`: the catalog for one MCP client that starts this program itself. */
export const mcp: Command = {
  usage: ['mcp [options]'],
  about: `For desktop clients and editors that start their MCP servers themselves. Offers prompts, shared variables, agents and
the catalog's tools, and notifies the client of changes. Problems go to standard error. Exits when standard input
closes.`,
  options: {
    ...CATALOG_OPTION,
    'no-tools': { type: 'boolean', help: 'do not offer the tools of the catalog' },
  },
  examples: ['mcp --catalog my-prompts', 'mcp --catalog redis://localhost:6379 --no-tools'],
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, values, context) {
    const { pipes } = context
    if (pipes === undefined) throw new UsageError('mcp needs a process with standard input and output')
    const catalog = catalogOption(values)
    const shell = await openCatalog(context, catalog)
    const agents = await openSessions(shell, loadCatalogConfig(context, catalog))
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

/** Whose sessions these are: without keys everybody's, as over HTTP. */
const OWNER = '-'

/** Agents and their sessions in this process, with the configured models and state: it runs no tasks of others. */
function openSessions(shell: Shell, config: Config): Promise<OpenAgents> {
  const { registry, turns } = shell
  return openAgents(
    { ...config, taskConcurrency: 0, responsesStore: 'never' },
    {
      ...shell,
      compileInline: (snapshot, document) => compileInlinePrompt(registry, snapshot, document, turns),
    },
  )
}

function dependenciesOf({ registry, renderer, tools, chatModels, guarded }: Shell) {
  return { registry, renderer, tools, chatModels, guarded }
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
