import type { JsonObject, JsonValue } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'

/** One prompt of another tool, as a document of ours. */
export interface Imported {
  /** As the other tool names it. */
  readonly name: string
  /** undefined where it cannot be carried: the notes say why. */
  readonly document: JsonObject | undefined
  /** What was left out or changed, one sentence each. */
  readonly notes: readonly string[]
}

/** What every format's reader gets. */
export interface ImportSource {
  readonly text: string
  /** Without its extension: the name of prompts that have none of their own. */
  readonly stem: string
}

/** A message of the other tool. */
export interface ForeignMessage {
  /** The role, by the name that the other tool has for it. */
  readonly speaker: string
  readonly text: string
}

/** What becomes of a body: templates of ours, the variables they read, and what cannot be said in them. */
export interface Converted {
  readonly text: string
  readonly variables: readonly string[]
  /** Tags as they were written. */
  readonly unknown: readonly string[]
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant'])
/** How a tag begins, and what ends it. */
const TAG_ENDS = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
])
/** Tags are short: what does not end within this is text. In characters. */
const MAX_TAG_LENGTH = 1_000
const PATH = /^[\p{L}_][\p{L}\d_]*(?:\.[\p{L}\d_]+)*$/u

/** Turns a text with plain `{{variables}}` into one of our Handlebars templates. */
export function convertPlain(text: string): Converted {
  return convertTags(text, (inner) =>
    PATH.test(inner) ? { text: reading(inner), variable: inner } : undefined,
  )
}

/** What one tag becomes; undefined for what we do not have. */
export type TagReader = (
  inner: string,
) => { readonly text: string; readonly variable?: string | undefined } | undefined

/** Turns the tags of a text one by one. */
export function convertTags(text: string, read: TagReader): Converted {
  const variables = new Set<string>()
  const unknown: string[] = []
  let converted = ''
  let done = 0
  for (const { start, end, inner } of tagsOf(text)) {
    const tag = text.slice(start, end)
    const found = inner === undefined ? undefined : read(inner.trim())
    if (found === undefined) unknown.push(tag)
    const [variable] = found?.variable?.split('.') ?? []
    if (variable !== undefined) variables.add(variable)
    converted += text.slice(done, start) + (found?.text ?? tag)
    done = end
  }
  return { text: converted + text.slice(done), variables: [...variables], unknown }
}

/** The positions of the tags of a text, and the contents of those with braces. Each kind of end is looked up once. */
function* tagsOf(text: string) {
  const ends = new Map<string, number>()
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start)) {
    const close = TAG_ENDS.get(text.slice(start, start + 2))
    const inside = start + (text.startsWith('{{{', start) ? 3 : 2)
    const known = close === undefined ? -1 : (ends.get(close) ?? 0)
    const at = close === undefined || known >= inside || known === -1 ? known : text.indexOf(close, inside)
    if (close !== undefined) ends.set(close, at)
    if (at === -1 || at - inside > MAX_TAG_LENGTH) {
      start += 1
      continue
    }
    const end = at + (text.startsWith('}}}', at) ? 3 : 2)
    yield { start, end, inner: close === '}}' ? text.slice(inside, at) : undefined }
    start = end
  }
}

/** The tag that prints a variable. */
export function reading(path: string): string {
  return `{{variables.${path}}}`
}

/** What a document of ours is made of. */
export interface Parts {
  readonly name: string
  /** One text, or a conversation. */
  readonly body: string | readonly ForeignMessage[]
  readonly convert?: (text: string) => Converted
  /** Fields beside the body. */
  readonly fields?: Readonly<Record<string, JsonValue | undefined>>
  /** JSON Schemas of variables whose types are known. */
  readonly properties?: Readonly<Record<string, JsonObject>>
  /** Variables that may be missing. */
  readonly optional?: readonly string[]
  readonly notes?: readonly string[]
}

/** Makes the document; none where a text says what our templates cannot. */
export function toImported({
  name,
  body,
  convert = convertPlain,
  fields = {},
  properties = {},
  optional = [],
  notes = [],
}: Parts): Imported {
  const messages = typeof body === 'string' ? [{ speaker: '', text: body }] : body
  const converted = messages.map(({ text }) => convert(text))
  const unknown = [...new Set(converted.flatMap((each) => each.unknown))]
  const strange = messages.filter(({ speaker }) => typeof body !== 'string' && !ROLES.has(speaker))
  const problems = [
    ...unknown.map(
      (tag) => `${tag} has no equal here: rewrite it as a plain variable, or as {{#if}} or {{#each}}`,
    ),
    ...strange.map(({ speaker }) => `a message of the role ${JSON.stringify(speaker)} cannot be carried`),
    ...(messages.length === 0 ? ['it has no text'] : []),
  ]
  if (problems.length > 0) return { name, document: undefined, notes: [...problems, ...notes] }
  const read = [...new Set(converted.flatMap(({ variables }) => variables))]
  const known = [...new Set([...read, ...Object.keys(properties)])]
  const document = {
    name,
    ...fields,
    engine: 'handlebars',
    ...(known.length > 0 && {
      parameters: {
        type: 'object',
        properties: Object.fromEntries(known.map((each) => [each, properties[each] ?? {}])),
        required: known.filter(
          (each) => !optional.includes(each) && properties[each]?.['default'] === undefined,
        ),
      },
    }),
    ...(typeof body === 'string'
      ? { userPrompt: converted[0]?.text ?? '' }
      : {
          messages: messages.map(({ speaker }, index) => ({
            role: speaker,
            content: converted[index]?.text ?? '',
          })),
        }),
  }
  const defined = Object.entries(document).filter(([, value]) => value !== undefined)
  return { name, document: jsonObject(Object.fromEntries(defined)), notes }
}
