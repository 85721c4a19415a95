import { assertCompletePart, findPartProblem } from '../conversation/content-part.js'
import type { Content, ContentPart, Message, WireToolCall } from '../conversation/message.js'
import { findSequenceViolations } from '../conversation/validate-messages.js'
import { ServiceError } from '../errors.js'
import type { ComposeItem } from '../schema/compose.js'
import type { Role } from '../schema/role.js'
import { invalidInput } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'

/** What a prompt of the conversation rendered to. */
export type ComposedPrompt =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }

/** Renders one prompt, by its id or written out, with its own variables. Throws ServiceError. */
export type RenderReference = (
  prompt: string | JsonObject,
  variables: JsonObject,
) => ComposedPrompt | Promise<ComposedPrompt>

export interface ComposeRequest {
  readonly items: readonly ComposeItem[]
  /** Variables that every prompt gets; an item's own variables take precedence. */
  readonly variables: JsonObject
  readonly render: RenderReference
  /** Renders a registered prompt that begins the conversation, before the items. */
  readonly lead?: () => ComposedPrompt | Promise<ComposedPrompt>
}

/**
 * Assembles a conversation. All prompts are started before any is waited for, so that their tools overlap.
 *
 * @throws ServiceError `invalid_request` with every misshapen item, `invalid_sequence` with every violation of
 * `validateMessages`, or what a prompt failed with, its place in `param`
 */
export async function composeMessages(request: ComposeRequest): Promise<readonly Message[]> {
  const problems = request.items.flatMap(findItemProblems)
  if (problems.length > 0) {
    const message = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ServiceError('invalid_request', message, {
      param: problems[0]?.path ?? 'compose',
      details: problems,
    })
  }
  const lead = request.lead === undefined ? [] : [leadMessages(request.lead)]
  const items = request.items.map((item, index) => toMessages(item, index, request))
  const parts = await settled([...lead, ...items])
  const messages = parts.flat()
  const violations = findSequenceViolations(messages)
  if (violations.length > 0) {
    const message = violations.map(({ index, reason }) => `message ${index}: ${reason}`).join('; ')
    throw new ServiceError('invalid_sequence', message, { param: 'compose', details: violations })
  }
  return messages
}

interface ItemProblem {
  readonly path: string
  readonly message: string
}

const CONTENTS = ['text', 'parts', 'prompt', 'messages'] as const

/** What the shape of an item cannot say: which fields go together. */
function findItemProblems(item: ComposeItem, index: number): readonly ItemProblem[] {
  const path = `compose[${index}]`
  const contents = CONTENTS.filter((name) => item[name] !== undefined)
  const only = (field: keyof ComposeItem, allowed: boolean, where: string) =>
    item[field] === undefined || allowed
      ? []
      : [{ path: `${path}.${field}`, message: `goes with ${where} only` }]
  const isMessage = contents[0] === 'text' || contents[0] === 'parts' || item.tool_calls !== undefined
  return [
    ...(contents.length === 1 || (contents.length === 0 && item.tool_calls !== undefined)
      ? []
      : [{ path, message: 'needs exactly one of `text`, `parts`, `prompt` and `messages`' }]),
    ...(isMessage && item.role === undefined ? [{ path: `${path}.role`, message: 'is required' }] : []),
    ...only('role', item.messages === undefined, 'a message'),
    ...only('name', item.messages === undefined, 'a message'),
    ...only('variables', item.prompt !== undefined, '`prompt`'),
    ...only('tool_call_id', item.role === 'tool', 'the role `tool`'),
    ...only('tool_calls', item.role === 'assistant', 'the role `assistant`'),
    ...(item.parts ?? []).flatMap((part, at) => {
      const problem = own(part, 'prompt') === undefined ? findPartProblem(part) : undefined
      return problem === undefined ? [] : [{ path: `${path}.parts[${at}]`, message: problem }]
    }),
  ]
}

async function leadMessages(lead: NonNullable<ComposeRequest['lead']>): Promise<readonly Message[]> {
  const prompt = await lead()
  return prompt.kind === 'prompt' ? [{ role: 'user', content: prompt.text }] : prompt.messages
}

async function toMessages(
  item: ComposeItem,
  index: number,
  request: ComposeRequest,
): Promise<readonly Message[]> {
  if (item.messages !== undefined) return item.messages as readonly Message[]
  if (item.prompt !== undefined) return promptMessages(item, item.prompt, `compose[${index}]`, request)
  const content = item.parts === undefined ? (item.text ?? null) : await toParts(item.parts, index, request)
  return [withFields(item, item.role ?? 'user', content)]
}

async function promptMessages(
  item: ComposeItem,
  reference: string | JsonObject,
  path: string,
  request: ComposeRequest,
): Promise<readonly Message[]> {
  const prompt = await renderAt(path, reference, item.variables, request)
  if (prompt.kind === 'prompt') return [withFields(item, item.role ?? 'user', prompt.text)]
  const field = (['role', 'name', 'tool_call_id', 'tool_calls'] as const).find(
    (name) => item[name] !== undefined,
  )
  if (field === undefined) return prompt.messages
  throw invalidInput(`${path}.${field}`, `${path}.${field} does not go with a prompt that has messages`)
}

function toParts(
  parts: NonNullable<ComposeItem['parts']>,
  index: number,
  request: ComposeRequest,
): Promise<ContentPart[]> {
  return settled(
    parts.map(async (part, at): Promise<ContentPart> => {
      const reference = own(part, 'prompt')
      if (typeof reference !== 'string' && !isJsonObject(reference)) {
        assertCompletePart(part)
        return part
      }
      const path = `compose[${index}].parts[${at}]`
      const prompt = await renderAt(path, reference, own(part, 'variables'), request)
      if (prompt.kind === 'prompt') return { type: 'text', text: prompt.text }
      throw invalidInput(`${path}.prompt`, `${path}.prompt has messages, and a part needs a text`)
    }),
  )
}

function withFields(item: ComposeItem, role: Role, content: Content): Message {
  return {
    role,
    content,
    ...(item.name === undefined ? undefined : { name: item.name }),
    ...(item.tool_call_id === undefined ? undefined : { tool_call_id: item.tool_call_id }),
    ...(item.tool_calls === undefined ? undefined : { tool_calls: item.tool_calls as WireToolCall[] }),
  }
}

async function renderAt(
  path: string,
  prompt: string | JsonObject,
  variables: unknown,
  request: ComposeRequest,
): Promise<ComposedPrompt> {
  try {
    const own = isJsonObject(variables) ? variables : {}
    return await request.render(prompt, { ...request.variables, ...own })
  } catch (error) {
    throw error instanceof ServiceError ? located(error, path) : error
  }
}

/** The same error, which now says which item it is about. */
function located(error: ServiceError, path: string): ServiceError {
  const { code, details, status, headers, param } = error
  return new ServiceError(code, `${path}: ${error.message}`, {
    cause: error,
    param: param === null ? path : `${path}.${param}`,
    details,
    status,
    headers,
  })
}

/** Waits for all, so that nothing keeps running behind an error, and fails with the first in order. */
async function settled<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  const results = await Promise.allSettled(promises)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
