import type { Message } from '../conversation/message.js'
import { type HostTemplate, type PrefixPart, prefixParts } from '../template/host.js'
import type { JsonObject } from '../util/json/json.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { isParts } from './is-parts.js'
import { OWN_ENTRIES } from './own-entries.js'
import type { RenderRequest } from './render-request.js'

/** Reads which parts of the templates of one prompt, and of those they include, requests change; each is read once. */
export class PrefixReader {
  readonly #known = new Map<HostTemplate, readonly PrefixPart[]>()
  readonly #isTool: (name: string) => boolean

  constructor({ snapshot }: Pick<RenderRequest, 'snapshot'>) {
    this.#isTool = (name) => snapshot.functions.has(name)
  }

  partsOf(template: HostTemplate): readonly PrefixPart[] {
    return runNow(this.#read(template))
  }

  *#read(template: HostTemplate): Sliced<readonly PrefixPart[]> {
    const before = this.#known.get(template)
    if (before !== undefined) return before
    // Prompts that include themselves add nothing the second time.
    this.#known.set(template, [])
    const parts = yield* prefixParts(template.source, template.dialect, {
      entries: OWN_ENTRIES,
      isTool: this.#isTool,
      partial: (name) => {
        const included = template.partial(name)
        return included && this.#read(included)
      },
    })
    this.#known.set(template, parts)
    return parts
  }
}

/** Marks that providers which take them read as the end of what they may keep. */
const MARK = { cache_control: { type: 'ephemeral' } } as const satisfies JsonObject

/**
 * Marks the last place of a prompt's own messages up to which all its requests are the same: the end of a message, or of
 * the fixed text that the next message begins with. Messages without such a place stay as they are.
 *
 * @param messages what rendered; the prompt's own messages are the last of them
 */
export function withCacheMark(
  messages: readonly Message[],
  request: Pick<RenderRequest, 'snapshot' | 'compiled'>,
): readonly Message[] {
  const { compiled } = request
  const reader = new PrefixReader(request)
  const partsOf = (template: HostTemplate) => reader.partsOf(template)
  const templates =
    compiled.kind === 'prompt'
      ? [[compiled.template]]
      : compiled.messages.map(({ content }) => templatesIn(content))
  const before = messages.length - templates.length
  const broken = templates.findIndex((each) => each.some((one) => partsOf(one).some(isVolatile)))
  const index = before + (broken === -1 ? templates.length : broken)
  const lead = broken === -1 ? '' : leadOf(templates[broken]?.map(partsOf)[0] ?? [], templates[broken]?.[0])
  const split = splitAfter(messages[index], lead)
  if (split !== undefined) return messages.with(index, split)
  const last = messages[index - 1]
  const marked = last === undefined ? undefined : markedAtEnd(last)
  return marked === undefined ? messages : messages.with(index - 1, marked)
}

function templatesIn(content: Parameters<typeof isParts>[0]): readonly HostTemplate[] {
  return isParts(content)
    ? content.flatMap(({ fields }) => fields.map(([, template]) => template))
    : [content]
}

function isVolatile({ volatile }: PrefixPart): boolean {
  return volatile !== undefined
}

/** The text that a template begins with, up to its first action. */
function leadOf([first, second]: readonly PrefixPart[], template: HostTemplate | undefined): string {
  if (first === undefined || first.characters === 0 || template === undefined) return ''
  const text = template.source.slice(first.position, first.position + first.characters)
  // A cut space at its end, as of `{{- `, is not part of the source's text: what is left of it still begins the output.
  return second === undefined ? '' : text
}

function splitAfter(message: Message | undefined, lead: string): Message | undefined {
  if (message === undefined || lead.trim() === '' || typeof message.content !== 'string') return undefined
  if (!message.content.startsWith(lead) || message.content === lead) return undefined
  const rest = message.content.slice(lead.length)
  return {
    ...message,
    content: [
      { type: 'text', text: lead, ...MARK },
      { type: 'text', text: rest },
    ],
  }
}

function markedAtEnd(message: Message): Message | undefined {
  const { content } = message
  if (typeof content === 'string')
    return content === '' ? undefined : { ...message, content: [{ type: 'text', text: content, ...MARK }] }
  const last = content?.at(-1)
  if (content === undefined || content === null || last === undefined) return undefined
  return { ...message, content: [...content.slice(0, -1), { ...last, ...MARK }] }
}
