import { ServiceError } from '../errors.js'
import { compileFound } from '../prompts/compile-found.js'
import { findPrompt } from '../prompts/find-prompt.js'
import { createRenderPlan } from '../prompts/render-plan.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import { examplesOf } from '../registry/prompt-examples.js'
import type { Template } from '../template/api.js'
import { isJsonObject, type JsonObject, stringifyJson } from '../util/json.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { openCatalog } from './catalog-source.js'
import { type CliContext, type Command, EXIT, UsageError } from './command.js'
import { conversationText } from './conversation-text.js'
import { namedInCatalog } from './named-in-catalog.js'
import { textOption } from './option-values.js'
import { readVariables, VARIABLE_OPTIONS } from './variables.js'

/** `render`: one prompt, printed, with the engine of the service and without a server. */
export const render: Command = {
  usage: ['render <prompt id> [options]'],
  about: `Renders one prompt without a server and prints it: a text as it is, a conversation with a line before each message
that names its role. Warnings, such as those of failed tools, go to standard error.`,
  options: {
    ...VARIABLE_OPTIONS,
    example: {
      type: 'string',
      value: '<name>',
      help: "one of the prompt's examples as variables; -v and --vars win",
    },
    ...CATALOG_OPTION,
    json: { type: 'boolean', help: 'print kind, prompt and warnings as JSON' },
    'show-code': {
      type: 'boolean',
      help: "print the JavaScript that the prompt's templates run as, instead of rendering it",
    },
  },
  examples: [
    'render hello.greeting --catalog my-prompts -v name=Ada',
    'render review.code_review --vars variables.json --json',
    'render review.commit_message --example fix',
  ],
  positionals: [1, 1],
  async run([id = ''], values, context) {
    const shell = await openCatalog(context, catalogOption(values))
    try {
      const found = compileFound(shell.registry, await findPrompt(shell.registry, id))
      if (values['show-code'] === true) {
        context.stdout(codeOf(createRenderPlan(found.compiled).templates))
        return EXIT.ok
      }
      const rendered = await shell.renderer.render({
        ...found,
        variables: {
          ...exampleOf(textOption(values, 'example'), found.prompt.document),
          ...readVariables(values, found.definition.parameters),
        },
        call: { requestId: 'cli', signal: new AbortController().signal },
      })
      print(rendered, values['json'] === true, context)
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      context.stderr(`${describe(namedInCatalog(error, shell.registry.current.prompts.ids()))}\n`)
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

function describe({ code, message, details }: ServiceError): string {
  if (!Array.isArray(details)) return [`${code}: ${message}`, ...hintIn(details)].join('\n')
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
