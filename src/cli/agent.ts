import type { TurnEvent, WireApproval } from '../agents/cycle/turn-event.js'
import type { App } from '../app.js'
import { errorMessage } from '../util/errors/error-message.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { AgentChat, type ChatDecision, type ChatEvent, type ChatStart } from './agent-chat.js'
import { askLine } from './ask-person.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { formatDiagnostic } from './finding-format.js'
import { namedInCatalog } from './named-in-catalog.js'
import { textOption } from './option-values.js'
import { ServerConnection } from './server-connection.js'
import { NOT_BOTH, SERVER_OPTIONS, serverOption } from './server-option.js'
import { openServiceHere } from './service-here.js'
import { readVariables, VARIABLE_OPTIONS } from './variables.js'

/** How a turn ended: `agent` and `task` have the same exit codes. */
const TURN_EXIT = { completed: EXIT.ok, failed: EXIT.failed, cancelled: 5 } as const
type TurnEnd = keyof typeof TURN_EXIT

/** `agent`: a talk with an agent of the catalog, in this process or on a server. */
export const agent: Command = {
  usage: ['agent <agent id> [message] [options]'],
  about: `Answers one message, or, without one, line after line of standard input. Text is printed as it arrives. Tool calls go
to standard error, and calls that need approval ask for it. Runs in this process with the configured catalog, models
and state, or on a server. Ctrl-C cancels the running turn. Exits with code 0, 1 when a turn failed, 5 when it was
cancelled.`,
  options: {
    session: {
      type: 'string',
      value: '<id>',
      help: 'continue a session, or start one with this id (kept where STATE_URL or REDIS_URL is set)',
    },
    ...VARIABLE_OPTIONS,
    ...CATALOG_OPTION,
    ...SERVER_OPTIONS,
    // The earlier name of --key.
    'api-key': { type: 'string' },
  },
  examples: [
    "agent hello.helper 'Who are you?' --catalog my-prompts",
    'agent hello.helper --url http://127.0.0.1:8080 --session ada',
  ],
  positionals: [1, 2],
  endsInOrder: true,
  async run([id = '', message], values, context) {
    const start = (parameters: JsonObject): ChatStart => ({
      agent: id,
      session: textOption(values, 'session'),
      variables: readVariables(values, parameters),
    })
    const { 'api-key': earlier, key = earlier, ...others } = values
    const server = serverOption({ ...others, key }, context)
    if (server === undefined) return talkHere(start, message, values, context)
    if (values['catalog'] !== undefined) throw new UsageError(NOT_BOTH)
    return talk(await AgentChat.open(new ServerConnection(server), start({})), message, context)
  },
}

/** With a service that does nothing else. */
const ONLY_THIS = { taskConcurrency: 0, responsesStore: 'never' } as const

async function talkHere(
  start: (parameters: JsonObject) => ChatStart,
  message: string | undefined,
  values: OptionValues,
  context: CliContext,
): Promise<number> {
  const { app, connection, close } = await openServiceHere(context, catalogOption(values), ONLY_THIS)
  try {
    const { agents } = app.registry.current
    const begun = start(agents.get(start({}).agent)?.definition.parameters ?? {})
    const chat = await AgentChat.open(connection, begun).catch((error: unknown) =>
      Promise.reject(namedInCatalog(error, agents.ids(), app.registry)),
    )
    await warnOf(begun.agent, app, context)
    return await talk(chat, message, context)
  } finally {
    await close()
  }
}

/** What `check` says about the agent: one without its tools talks all the same. */
async function warnOf(agent: string, { findings }: App, { stderr }: CliContext): Promise<void> {
  const found = (await findings.all()).filter(({ kind, id }) => kind === 'agents' && id === agent)
  for (const finding of found) stderr(`${formatDiagnostic(finding, 'text')}\n`)
}

async function talk(chat: AgentChat, message: string | undefined, context: CliContext): Promise<number> {
  if (message !== undefined) return TURN_EXIT[await takeTurn(chat, message, context)]
  let last: TurnEnd = 'completed'
  for (;;) {
    const line = await askLine('> ', context)
    if (line === undefined) return TURN_EXIT[last]
    if (line.trim() !== '') last = await takeTurn(chat, line, context)
  }
}

/** One turn, over all its pauses, until a signal cancels it. */
async function takeTurn(chat: AgentChat, message: string, context: CliContext): Promise<TurnEnd> {
  const end = context.signals?.end
  if (end?.aborted === true) return 'cancelled'
  let turn = 0
  const cancel = () => {
    if (turn > 0) chat.cancel(turn).catch((error) => context.stderr(`${errorMessage(error)}\n`))
  }
  const begin = (started: number) => {
    turn = started
    if (end?.aborted === true) cancel()
  }
  end?.addEventListener('abort', cancel, { once: true })
  try {
    return await hearOut(chat, message, begin, context)
  } finally {
    end?.removeEventListener('abort', cancel)
  }
}

/** @param begin called with the turn's number as soon as it is known */
async function hearOut(
  chat: AgentChat,
  message: string,
  begin: (turn: number) => void,
  context: CliContext,
): Promise<TurnEnd> {
  const names = new Map<string, string>()
  let turn = 0
  let after: string | undefined
  let events: AsyncIterable<ChatEvent> = chat.say(message)
  for (;;) {
    let waiting: readonly WireApproval[] = []
    for await (const { id, event } of events) {
      after = id ?? after
      if (event.type === 'turn.started') {
        turn = event.turn
        begin(turn)
      }
      if (event.type === 'tool.called') names.set(event.call.id, event.call.name)
      show(event, names, context)
      if (event.type === 'paused') waiting = event.approvals
      const end = endOf(event)
      if (end !== undefined) return end
    }
    if (waiting.length === 0) throw new Error('the turn ended without its last event')
    for (const { id, ...question } of waiting) {
      const decision = await askFor(question, context)
      if (context.signals?.end.aborted !== true) await chat.decide(id, decision)
    }
    events = chat.follow(turn, after)
  }
}

function endOf({ type }: TurnEvent): TurnEnd | undefined {
  if (type === 'turn.completed') return 'completed'
  if (type === 'turn.failed') return 'failed'
  return type === 'turn.cancelled' ? 'cancelled' : undefined
}

/** The tool of each call of the turn, by the call's id. */
type ToolNames = ReadonlyMap<string, string>

/** Words to standard output, what happens beside them to standard error. */
function show(event: TurnEvent, names: ToolNames, { stdout, stderr }: CliContext): void {
  if (event.type === 'text.delta') stdout(event.text)
  else if (event.type === 'turn.completed') stdout('\n')
  else stderr(remarkOn(event, names))
}

function remarkOn(event: TurnEvent, names: ToolNames): string {
  switch (event.type) {
    case 'tool.called':
      return `\n[${event.call.name} ${stringifyJson(event.call.arguments)}]\n`
    case 'tool.result':
      return `[${names.get(event.call_id) ?? event.call_id} ${event.ok ? 'ok' : 'failed'}, ${event.duration_ms} ms] ${event.preview}\n`
    case 'rollback':
      return `\n[retracted: ${event.reason}]\n`
    case 'retry':
      return `[retry: ${event.error.message}]\n`
    case 'turn.failed':
      return `\n${event.error.code}: ${event.error.message}\n`
    case 'turn.cancelled':
      return '\ncancelled\n'
    default:
      return ''
  }
}

/** Nobody there says no. */
async function askFor(
  { tool, arguments: args }: Pick<WireApproval, 'tool' | 'arguments'>,
  context: CliContext,
): Promise<ChatDecision> {
  const question = `${tool} ${stringifyJson(args)}: may it run? [y/N, or why not] `
  const answer = await askLine(question, context)
  if (answer === undefined) return { decision: 'reject', reason: 'nobody was there to approve' }
  const text = answer.trim()
  if (/^y(es)?$/i.test(text)) return { decision: 'approve' }
  return { decision: 'reject', ...(text !== '' && !/^no?$/i.test(text) && { reason: text }) }
}
