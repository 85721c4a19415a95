import type { PromptMessage } from '@modelcontextprotocol/server'
import { assertAllowed } from '../access/assert-allowed.js'
import { mayUse } from '../access/may-read.js'
import { compileFound } from '../prompts/compile-found.js'
import { findPrompt, realIdOf, type ServedVersion } from '../prompts/find-prompt.js'
import type { DoubtedWork, GuardedWork } from '../prompts/guarded-work.js'
import type { Renderer } from '../prompts/render.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import type { Registry } from '../registry/registry.js'
import type { PromptEntry } from '../registry/snapshot.js'
import type { JsonObject } from '../util/json/json.js'
import { quoted } from '../util/text/quoted.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { keyIn } from '../versions/split.js'
import type { McpCaller } from './mcp-caller.js'
import { invalidParams } from './mcp-failure.js'
import { readArguments } from './prompt-arguments.js'
import { toPromptMessages } from './to-prompt-messages.js'

/** What rendering for MCP needs. */
export interface RenderingDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  /** Does what a request's own texts may make long. Default: as all else. */
  readonly guarded?: GuardedWork
}

/** Does the work of one request on its texts: in a slice that is stopped when it takes too long. @throws ServiceError */
export function doGuarded<Result>(
  { guarded }: Pick<RenderingDependencies, 'guarded'>,
  caller: McpCaller,
  subject: Subject,
  work: () => Result,
): Result {
  return guarded === undefined ? work() : guarded.run(workOf(caller, subject), work)
}

/**
 * Does the work of one request step by step, each step a slice of its own.
 *
 * @throws ServiceError if the request is refused
 */
function stepsOf(
  { guarded }: Pick<RenderingDependencies, 'guarded'>,
  caller: McpCaller,
  subject: Subject,
): <Done>(step: () => Done) => Done {
  if (guarded === undefined) return (step) => step()
  const work = workOf(caller, subject)
  guarded.assertWelcome(work)
  return (step) => guarded.slice(work, step)
}

/** What a request asks for: its method, and what it names. */
type Subject = readonly [method: string, name: string]

function workOf({ call }: McpCaller, [method, name]: Subject): DoubtedWork {
  const text = `${method} ${name.length} ${name.slice(0, DISTINGUISHED)}`
  return { kind: 'mcp', name: method, text, caller: call.caller }
}

/** Number of characters that distinguish a request's arguments from others of their length. */
const DISTINGUISHED = 200

/** A rendered prompt and the document it was made of. */
export interface FoundAndRendered {
  readonly prompt: PromptEntry
  /** Which version of it; undefined for its head. */
  readonly served: ServedVersion | undefined
  readonly rendered: RenderedPrompt
}

/** `prompts/get`: the arguments are texts. @throws ServiceError, McpFailure */
export async function getPrompt(
  dependencies: RenderingDependencies,
  caller: McpCaller,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<{ description?: string; messages: PromptMessage[]; _meta: Record<string, unknown> }> {
  const step = stepsOf(dependencies, caller, ['prompts/get', name])
  const { prompt, served, rendered } = await renderFor(dependencies, caller, name, {
    given: () => given,
    variablesFor: ({ definition }) => readArguments(given, definition.parameters, step),
  })
  const { description } = prompt.definition
  const { warnings } = rendered
  return {
    ...(description !== '' && { description }),
    messages: doGuarded(dependencies, caller, ['prompts/get', name], () =>
      toPromptMessages(renderedMessages(rendered)),
    ),
    _meta: {
      'ai-prompt-shell/revision': prompt.revision,
      ...(served !== undefined && { 'ai-prompt-shell/version': served.number }),
      ...(served?.label !== undefined && { 'ai-prompt-shell/label': served.label }),
      ...(warnings.length > 0 && { 'ai-prompt-shell/warnings': warnings }),
    },
  }
}

/** The messages of a rendered prompt: a single text is what a user says. */
export function renderedMessages(rendered: RenderedPrompt) {
  return rendered.kind === 'messages'
    ? rendered.messages
    : [{ role: 'user' as const, content: rendered.text }]
}

/** What a client says of the variables. */
export interface GivenVariables {
  /** As they came: a label that is split may find its key in them. */
  readonly given: () => JsonObject
  /** As the prompt takes them. */
  readonly variablesFor: (prompt: PromptEntry) => JsonObject | Promise<JsonObject>
}

/** Renders a prompt that the caller may see. @throws ServiceError, McpFailure */
export async function renderFor(
  { registry, renderer }: RenderingDependencies,
  { access, call }: McpCaller,
  id: string,
  { given, variablesFor }: GivenVariables,
): Promise<FoundAndRendered> {
  assertAllowed(access, 'render', 'rendering')
  if (!mayUse(access, realIdOf(registry.current, splitChoice(id).id))) throw unknownPrompt(id)
  const { labels: bound } = access
  const splitKey = (sticky: string | undefined) => call.splitKey ?? keyIn(sticky, given)
  const found = await findPrompt(registry, id, { bound, splitKey })
  const variables = await variablesFor(found.prompt)
  const rendered = await renderer.render({ ...compileFound(registry, found), variables, call })
  return { prompt: found.prompt, served: found.served, rendered }
}

function unknownPrompt(id: string) {
  return invalidParams('prompt_not_found', `No prompt has the id ${quoted(id)}`)
}
