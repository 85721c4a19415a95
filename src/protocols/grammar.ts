/**
 * How a protocol writes calls: its tags, once. Instructions, encoder and parser all read them from here. Tags are written
 * as in the text; see `TagSet`.
 */
export interface Grammar {
  readonly open: string
  readonly close: string
  /** Another tag that opens calls. */
  readonly otherOpen?: string
  /** Around all calls of a message. */
  readonly section?: { readonly open: string; readonly close: string }
  readonly body: JsonBody | TagsBody | PairsBody
}

/** One JSON object between the tags. */
export interface JsonBody {
  readonly kind: 'json'
  /** Behind the name, in front of the object; without, the object holds `name` and the arguments. */
  readonly separator?: string
  /** The key of the arguments in the object that also has the name. */
  readonly argumentsKey?: string
  /** What may stand in front of the object. A group `name` is the name, where the form has it there. */
  readonly preamble?: RegExp
  /** The name in the text in front of the separator, and the way back for the call at an index. */
  readonly readName?: (head: string) => string
  readonly writeName?: (name: string, index: number) => string
  /** The form is made of special tokens, so that a call without its end was cut. */
  readonly mustClose?: true
}

/** Named fields, each between its own tags; the arguments are a JSON object. */
export interface TagsBody {
  readonly kind: 'tags'
  readonly server: string
  readonly tool: string
  readonly arguments: string
}

/** Names and values of the arguments, each between tags. Values are text, which only a schema gives a type. */
export interface PairsBody {
  readonly kind: 'pairs'
  /** A tag that has the name of the function as its value; without, the name follows the opening tag. */
  readonly function?: string
  /** Around the name of an argument, or a tag that has it as its value. */
  readonly key: string
  /** Around the value, where the key does not stand in the same tag. */
  readonly value?: string
}

/** Every tag that a grammar knows. */
export function tagsOf({ open, otherOpen, close, section, body }: Grammar): string[] {
  const inner =
    body.kind === 'json'
      ? [body.separator]
      : body.kind === 'tags'
        ? [body.server, body.tool, body.arguments]
        : [body.function, body.key, body.value]
  const all = [
    section?.open,
    section?.close,
    open,
    otherOpen,
    isPair(open, close) ? undefined : close,
    ...inner,
  ]
  return all.filter((tag) => tag !== undefined)
}

/** What stands between the brackets of an opening XML tag, without `=`. */
export function nameOf(tag: string): string {
  return tag.slice(1, tag.endsWith('=>') ? -2 : -1)
}

/** The closing tag of an XML tag. */
export function closeOf(tag: string): string {
  return `</${nameOf(tag)}>`
}

/** `<x>` and `</x>` are one tag in a set. */
function isPair(open: string, close: string): boolean {
  return close === closeOf(open)
}
