import type { TaskEvent } from '../tasks/task-event.js'
import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { readJson } from '../util/json/json-reader.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { textOption } from './option-values.js'
import { printable } from './printable.js'
import { LiveLines, type Screen } from './screen.js'
import { ServerConnection } from './server-connection.js'
import { NOT_BOTH, SERVER_OPTIONS, type ServerAddress, serverOption } from './server-option.js'
import { openServiceHere, type ServiceHere } from './service-here.js'
import { TaskSource } from './task-source.js'
import { endOf, TaskView } from './task-view.js'

/** What the process ends with, by how the task ended. */
const TASK_EXIT = {
  'task.completed': EXIT.ok,
  'task.failed': EXIT.failed,
  'task.exhausted': 3,
  'task.timed_out': 4,
  'task.cancelled': 5,
} as const

/** `task`: runs a task, or watches one, and prints its progress. */
export const task: Command = {
  usage: ['task <description> [options]', 'task watch <id> [options]', 'task cancel <id> [options]'],
  about: `Shows phases, steps and scores as they come (as lines where there is no terminal), then prints the result. Runs in this
process with the configured catalog, or on a server. Exit codes: 0 completed, 1 failed, 3 exhausted, 4 timed out,
5 cancelled. cancel exits with 0 when the task was asked to stop.`,
  options: {
    agent: {
      type: 'string',
      value: '<id>',
      help: 'agent that runs the steps; default: the model with all tools',
    },
    metadata: { type: 'string', value: '<json>', help: 'facts about the task, as a JSON object' },
    ...CATALOG_OPTION,
    ...SERVER_OPTIONS,
    json: { type: 'boolean', help: 'print events as lines of JSON' },
  },
  examples: [
    "task 'Summarize the open issues' --agent project.guide",
    "task 'Summarize the open issues' --url http://127.0.0.1:8080",
    'task watch 0199c3d2 --url http://127.0.0.1:8080',
  ],
  positionals: [1, 2],
  async run(words, values, context) {
    const [first = '', second] = words
    const isVerb = first === 'watch' || first === 'cancel'
    if (isVerb && second === undefined) throw new UsageError(`missing <id>: task ${first} <id>`)
    if (!isVerb && second !== undefined) throw new UsageError('put the description in quotes')
    const metadata = readMetadata(values['metadata'])
    const server = serverOption(values, context)
    const catalog = catalogOption(values)
    if (server !== undefined && catalog !== undefined) throw new UsageError(NOT_BOTH)
    const { connection, close } = await serviceOf(server, catalog, context)
    const source = new TaskSource(connection)
    try {
      if (first === 'cancel' && second !== undefined) return await cancel(source, second, context)
      if (first === 'watch' && second !== undefined)
        return await print(source, second, `task ${second}`, values, context)
      const agent = textOption(values, 'agent')
      const id = await source.create({ description: first, metadata, ...(agent !== undefined && { agent }) })
      context.stderr(`task ${id}\n`)
      return await print(source, id, first, values, context)
    } finally {
      await close()
    }
  },
}

/** In this process, or at a server. */
async function serviceOf(
  server: ServerAddress | undefined,
  catalog: string | undefined,
  context: CliContext,
): Promise<Pick<ServiceHere, 'connection' | 'close'>> {
  if (server === undefined) return openServiceHere(context, catalog)
  return { connection: new ServerConnection(server), close: async () => {} }
}

async function cancel(source: TaskSource, id: string, { stdout }: CliContext): Promise<number> {
  stdout(`task ${id}: ${await source.cancel(id)}\n`)
  return EXIT.ok
}

async function print(
  source: TaskSource,
  id: string,
  title: string,
  values: OptionValues,
  context: CliContext,
): Promise<number> {
  const isJson = values['json'] === true
  const show = isJson
    ? jsonLines(context)
    : context.screen
      ? liveView(title, context.screen)
      : plainLines(context)
  for await (const event of source.follow(id)) {
    show(event)
    if (!('result' in event)) continue
    if (!isJson) context.stdout(`${event.result.output.text}\n`)
    return TASK_EXIT[event.type]
  }
  context.stderr('the events of the task are no longer known\n')
  return EXIT.failed
}

type Show = (event: TaskEvent) => void

function jsonLines({ stdout }: CliContext): Show {
  return (event) => stdout(`${stringifyJson(event)}\n`)
}

function plainLines({ stderr }: CliContext): Show {
  return (event) => {
    for (const line of eventLines(event)) stderr(`${line}\n`)
  }
}

function liveView(title: string, screen: Screen): Show {
  const view = new TaskView(title)
  const drawn = new LiveLines(screen)
  return (event) => {
    view.add(event)
    drawn.draw(view.lines(screen.columns, screen.colors))
  }
}

/** An event in words for people; most events of an agent's turn have none. */
export function eventLines(event: TaskEvent): readonly string[] {
  switch (event.type) {
    case 'phase.started':
      return [`round ${event.round}: ${event.phase}`]
    case 'plan':
      return event.plan.steps.map(({ id, description }) => `  ${printable(`${id}  ${description}`)}`)
    case 'plan.refused':
      return [`  refused: ${printable(event.error.message)}`]
    case 'step.updated': {
      const { id, status, error, attempts } = event.step
      const tries = attempts > 1 ? ` (attempt ${attempts})` : ''
      const problem = error === undefined ? '' : `, ${error.code}: ${error.message}`
      return [`  ${printable(`${id}: ${status}${tries}${problem}`)}`]
    }
    case 'evaluation': {
      const { overall_score: overall, dimensions } = event.evaluation
      const scores = Object.entries(dimensions).map(([name, score]) => `${name} ${score}`)
      return [`  overall ${overall}; ${scores.join(', ')}`]
    }
    case 'reflection':
      return event.reflection.root_causes.map((cause) => `  because ${printable(cause)}`)
    case 'approval.required':
      return [`  needs approval: ${event.approval.id} ${event.approval.tool}`]
    default:
      return 'result' in event ? [endOf(event)[0]] : []
  }
}

/** In quotes of a shell. */
const SUCH_AS = `, such as '{"ticket": 7}'`

function readMetadata(text: OptionValues[string]): JsonObject {
  if (typeof text !== 'string') return {}
  const value = parseMetadata(text)
  if (isJsonObject(value)) return value
  throw new UsageError(`--metadata: must be a JSON object${SUCH_AS}`)
}

function parseMetadata(text: string): JsonValue {
  try {
    return readJson(text)
  } catch (error) {
    throw new UsageError(`--metadata: is not JSON: ${errorMessage(error)}${SUCH_AS}`)
  }
}
