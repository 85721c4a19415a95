import { Server } from '@modelcontextprotocol/server'
import type { Access } from '../access/access.js'
import { redactForCaller } from '../access/redact-for-caller.js'
import { ServiceError } from '../errors.js'
import { assertReady } from '../registry/assert-ready.js'
import type { Snapshot } from '../registry/snapshot.js'
import { narrowContext } from '../util/call-context.js'
import { isJsonObject } from '../util/json/json.js'
import { VERSION } from '../util/packages/version.js'
import { complete } from './complete.js'
import { doGuarded, getPrompt } from './get-prompt.js'
import { listPrompts } from './list-prompts.js'
import { McpCaller } from './mcp-caller.js'
import { toMcpFailure } from './mcp-failure.js'
import { type OfferedToolsDependencies, offeredTools } from './offered-tools.js'
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.js'

/** How long a client may keep a list before it asks again; changes are published earlier to those that listen. */
const CACHE = { ttlMs: 1_000, cacheScope: 'private' } as const

const INSTRUCTIONS = `Prompts of a live catalog. Prompts are rendered by prompts/get, or by the tools list_prompts and
render_prompt; shared variables and stored prompts are resources. Changes of the catalog are reported at once.`

/** What serving MCP needs. */
export type McpDependencies = OfferedToolsDependencies

/**
 * One server of the SDK over the catalog as it is now, for one caller. It registers nothing per document, so it costs
 * the same for ten prompts and a million: every request looks at the snapshot.
 *
 * @param tellsChanges whether this connection can notify the client of changes
 */
export function createMcpServer(
  dependencies: McpDependencies,
  caller: McpCaller,
  tellsChanges: boolean,
): Server {
  const server = new Server(
    { name: 'ai-prompt-shell', title: 'AI-Prompt-Shell', version: VERSION },
    {
      capabilities: {
        prompts: { listChanged: tellsChanges },
        resources: { listChanged: tellsChanges, subscribe: tellsChanges },
        tools: { listChanged: tellsChanges },
        completions: {},
      },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'prompts/list': CACHE,
        'resources/list': CACHE,
        'resources/templates/list': CACHE,
        'resources/read': CACHE,
        'tools/list': CACHE,
      },
    },
  )
  const { registry } = dependencies
  const { access, held } = caller
  const current = (): Snapshot => {
    assertReady(registry)
    return registry.servedTo(registry.current, { bound: access.labels })
  }
  const inSlice =
    (method: string, subject: string) =>
    <Result>(work: () => Result): Result =>
      doGuarded(dependencies, caller, [method, subject], work)
  server.setRequestHandler('prompts/list', ({ params }) =>
    answered(access, () => listPrompts(current(), access, params?.cursor)),
  )
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, { mcpReq }) =>
    answered(access, async () => {
      const answer = await getPrompt(dependencies, forRequest(caller, mcpReq.signal), name, given)
      return { ...answer, messages: held?.messages(answer.messages) ?? answer.messages }
    }),
  )
  server.setRequestHandler('resources/list', ({ params }) =>
    answered(access, () => listResources(current(), access, params?.cursor)),
  )
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answered(access, async () => {
      const { contents } = await readResource(current(), access, uri, inSlice('resources/read', uri))
      return { contents: contents.map((each) => ({ ...each, text: held?.text(each.text) ?? each.text })) }
    }),
  )
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    answered(access, async () => ({
      completion: await complete(
        current(),
        access,
        ref,
        argument,
        inSlice('completion/complete', argument.value),
      ),
    })),
  )
  server.setRequestHandler('tools/list', ({ params }) =>
    answered(access, () => offeredTools(dependencies, current(), access).list(params?.cursor)),
  )
  server.setRequestHandler('tools/call', ({ params: { name, arguments: given } }, { mcpReq }) => {
    const args = isJsonObject(given) ? given : {}
    return answered(access, async () => {
      const tools = offeredTools(dependencies, current(), access)
      const answer = await tools.call(name, args, forRequest(caller, mcpReq.signal))
      return held?.answer(answer) ?? answer
    })
  })
  return server
}

/** Its work ends when the client takes the request back, or goes away. */
function forRequest({ access, owner, call, held }: McpCaller, signal: AbortSignal): McpCaller {
  return new McpCaller(access, owner, narrowContext(call, { signal }), held)
}

/** What went wrong, in the protocol's words, and as much of it as the caller may know. */
async function answered<Answer>(access: Access, work: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw toMcpFailure(error instanceof ServiceError ? redactForCaller(access, error) : error)
  }
}
