import { readFileSync } from 'node:fs'
import { firstRequest } from '../agents/first-request.js'
import { isMessage, type Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import type { Shell } from '../open-shell.js'
import { compileFound } from '../prompts/compile-found.js'
import { findPrompt } from '../prompts/find-prompt.js'
import { createRenderPlan } from '../prompts/render-plan.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import { openTemplate } from '../protocols/templates/open-template.js'
import { promptOfRequest } from '../protocols/templates/prompt-writer.js'
import { examplesOf } from '../registry/prompt-examples.js'
import type { Template } from '../template/host.js'
import { isJsonObject, type JsonObject, stringifyJson } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, type OptionValues, UsageError } from './command.js'
import { conversationText } from './conversation-text.js'
import { idsOfDocuments, namedInCatalog } from './named-in-catalog.js'
import { textOption } from './option-values.js'
import { placeOfCause } from './place-of-cause.js'
import { readVariables, VARIABLE_OPTIONS } from './variables.js'

const AGENT = 'agent:'

/** `render`: one prompt, printed, with the engine of the service and without a server. */
export const render: Command = {
  usage: ['render <prompt id> [options]', 'render agent:<agent id> [message] [options]'],
  about: `Renders one prompt without a server and prints it: a text as it is, a conversation with a line before each message
that names its role. Of an agent it prints the model's first request of a turn with this message. Warnings, such as
those of failed tools, go to standard error.`,
  options: {
    ...VARIABLE_OPTIONS,
    example: {
      type: 'string',
      value: '<name>',
      help: "one of the prompt's examples as variables; -v and --vars win",
    },
    ...CATALOG_OPTION,
    as: {
      type: 'string',
      value: '<template>',
      help: 'print the text that the model reads, as a built-in chat template\n(qwen, mistral, …), ollama:<Modelfile> or jinja:<file> writes it',
    },
    json: { type: 'boolean', help: 'print kind, prompt and warnings as JSON; of an agent the request' },
    'show-code': {
      type: 'boolean',
      help: "print the JavaScript that the prompt's templates run as, instead of rendering it",
    },
  },
  examples: [
    'render hello.greeting --catalog my-prompts -v name=Ada',
    'render review.code_review --vars variables.json --json',
    'render review.commit_message --example fix',
    "render agent:hello.helper 'Who are you?' --as qwen",
  ],
  positionals: [1, 2],
  async run([id = '', message], values, context) {
    const isAgent = id.startsWith(AGENT)
    if (!isAgent && message !== undefined) throw new UsageError(`unexpected argument "${message}"`)
    const shell = await openCatalog(context, catalogOption(values))
    try {
      if (isAgent) await renderAgent(shell, { id: id.slice(AGENT.length), message }, values, context)
      else await renderPrompt(shell, id, values, context)
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const { agents, prompts } = shell.registry.current
      const known = isAgent ? agents.ids() : idsOfDocuments(prompts)
      context.stderr(`${describe(namedInCatalog(error, known, shell.registry))}\n`)
      return EXIT.failed
    } finally {
      await shell.close()
    }
  },
}

/** @throws UsageError for a name that the prompt's document does not have */
function exampleOf(name: string | undefined, document: JsonObject): JsonObject {
  if (name === undefined) return {}
  const examples = examplesOf(document)
  const variables = examples.get(name)
  if (variables !== undefined) return variables
  const names = [...examples.keys()]
  const known = names.length === 0 ? 'the prompt has none' : `the prompt has ${names.join(', ')}`
  throw new UsageError(`--example ${name}: there is no such example; ${known}`)
}

async function renderPrompt(
  { registry, renderer }: Shell,
  id: string,
  values: OptionValues,
  context: CliContext,
): Promise<void> {
  const found = compileFound(registry, await findPrompt(registry, id))
  if (values['show-code'] === true) {
    context.stdout(codeOf(createRenderPlan(found.compiled).templates))
    return
  }
  const rendered = await renderer.render({
    ...found,
    variables: {
      ...exampleOf(textOption(values, 'example'), found.prompt.document),
      ...readVariables(values, found.definition.parameters),
    },
    call: newCall(),
  })
  if (textOption(values, 'as') === undefined) print(rendered, values['json'] === true, context)
  else await printAs({ messages: messagesOf(rendered) }, values, context)
}

function newCall() {
  return { requestId: 'cli', signal: new AbortController().signal }
}

function messagesOf(rendered: RenderedPrompt): readonly Message[] {
  return rendered.kind === 'prompt' ? [{ role: 'user', content: rendered.text }] : rendered.messages
}

/** What an agent is asked for, and with which words. */
interface AskedAgent {
  readonly id: string
  readonly message: string | undefined
}

async function renderAgent(
  { agents, registry }: Shell,
  { id, message }: AskedAgent,
  values: OptionValues,
  context: CliContext,
): Promise<void> {
  const unfit = ['show-code', 'example'].find((name) => values[name] !== undefined)
  if (unfit !== undefined) throw new UsageError(`--${unfit} is for prompts`)
  const parameters = registry.current.agents.get(id)?.definition.parameters ?? {}
  const call = newCall()
  const agent = await agents.prepare(id, { variables: readVariables(values, parameters), call })
  const said: readonly Message[] = message === undefined ? [] : [{ role: 'user', content: message }]
  const request = await firstRequest(agent, said, call)
  if (values['json'] === true) context.stdout(`${stringifyJson(request, 2)}\n`)
  else if (textOption(values, 'as') !== undefined) await printAs(request, values, context)
  else context.stdout(conversationText(listField(request, 'messages').filter(isMessage)))
}

/** The text that the model reads, exactly: without a line break of our own. */
async function printAs(request: JsonObject, values: OptionValues, { stdout }: CliContext): Promise<void> {
  const template = openTemplate(textOption(values, 'as') ?? '', (path) => readFileSync(path, 'utf8'))
  stdout(await promptOfRequest(template, request, new Date()))
}

function codeOf(templates: readonly Template[]): string {
  return templates.map((template) => `// ${template.name}\n${template.generatedSource()}\n`).join('\n')
}

function print(rendered: RenderedPrompt, asJson: boolean, { stdout, stderr }: CliContext): void {
  const { kind, warnings } = rendered
  const result = kind === 'prompt' ? rendered.text : rendered.messages
  if (asJson) stdout(`${stringifyJson({ kind, rendered_prompt: result, warnings }, 2)}\n`)
  else stdout(typeof result === 'string' ? `${result}\n` : conversationText(result))
  for (const { tool, message } of warnings)
    stderr(`warning: ${tool === undefined ? message : `tool ${tool} failed: ${message}`}\n`)
}

function describe(error: ServiceError): string {
  const { code, message, details } = error
  if (!Array.isArray(details))
    return [`${placeOfCause(error)}${code}: ${message}`, ...hintIn(details)].join('\n')
  const rows = details.flatMap((row: unknown) => {
    if (!isJsonObject(row)) return []
    const { path, message: problem, line, column } = row
    const place = line === undefined ? '' : ` (line ${line}, column ${column})`
    return [`  ${path} ${problem}${place}`, ...hintIn(row).map((hint) => `  ${hint}`)]
  })
  return [`${code}:`, ...rows].join('\n')
}

/** What the author probably meant, as a line of its own. */
function hintIn(details: unknown): readonly string[] {
  if (typeof details !== 'object' || details === null || !('hint' in details)) return []
  return [`  hint: ${String(details.hint)}`]
}
