import type { Document, LineCounter } from 'yaml'
import type { TextPlace } from '../text/place-of.js'
import { yaml } from './yaml.js'

/** Something that YAML reads otherwise than its author may think. */
export interface YamlNote extends TextPlace {
  readonly kind: 'comment' | 'number' | 'merge' | 'object-key'
  readonly path: readonly (string | number)[]
  /** As written in the text: a number, or the comment after a text. */
  readonly written: string
  /** As it is read. */
  readonly read: string
}

/** More about one text are not reported. */
const MAX_NOTES = 20
/** Of a comment, in characters. */
const MAX_SHOWN = 40

/** What a document's author may not see: comments in a line of text, numbers that print otherwise, merge keys. */
export function notesIn(text: string, document: Document.Parsed, lines: LineCounter): readonly YamlNote[] {
  const { isMap, isPair, isScalar, isSeq, Scalar } = yaml()
  const found: YamlNote[] = []
  const note = (offset: number, rest: Omit<YamlNote, keyof TextPlace>) => {
    const { line, col: column } = lines.linePos(offset)
    if (found.length < MAX_NOTES) found.push({ ...rest, line, column })
  }
  const visit = (node: unknown, path: YamlNote['path']): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index])
    if (isMap(node)) {
      for (const pair of node.items) {
        if (isMap(pair.key) || isSeq(pair.key)) {
          const [start, end] = pair.key.range ?? [0, 0]
          note(start, { kind: 'object-key', path, written: text.slice(start, end), read: '' })
        }
        if (!isPair(pair) || !isScalar(pair.key)) continue
        const name = String(pair.key.value)
        if (name === '<<' && pair.key.type === Scalar.PLAIN)
          note(pair.key.range?.[0] ?? 0, { kind: 'merge', path, written: name, read: name })
        visit(pair.value, [...path, name])
      }
    }
    if (!isScalar(node) || node.type !== Scalar.PLAIN || !node.range) return
    const [start, end] = node.range
    const read = String(node.value)
    if (typeof node.value === 'string') {
      const [comment] = /^[ \t]+#[^\n]*/.exec(text.slice(end, end + 2 * MAX_SHOWN)) ?? []
      if (comment !== undefined)
        note(end, { kind: 'comment', path, written: comment.trim().slice(0, MAX_SHOWN), read })
    } else if ((typeof node.value === 'number' || typeof node.value === 'bigint') && node.source !== read)
      note(start, { kind: 'number', path, written: node.source ?? read, read })
  }
  visit(document.contents, [])
  return found
}
