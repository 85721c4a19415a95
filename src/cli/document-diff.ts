import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../util/json/json.js'
import { changedLines } from '../util/text/changed-lines.js'
import { wordDiff } from '../util/text/word-diff.js'
import { yamlText } from '../util/yaml/yaml-text.js'

/** Documents by the name of their place: a key or a path. */
export type Documents = ReadonlyMap<string, JsonValue>

/** What turns the target into the source. */
export interface DocumentChange {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly name: string
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const

/** Compares two catalogs by value: the form of the text does not count. Sorted by name. */
export function compareDocuments(source: Documents, target: Documents, prune: boolean): DocumentChange[] {
  const names = [...new Set([...source.keys(), ...target.keys()])].sort()
  return names.flatMap((name): DocumentChange[] => {
    const before = target.get(name)
    const after = source.get(name)
    if (after === undefined) return prune ? [{ kind: 'removed', name, before, after }] : []
    if (before === undefined) return [{ kind: 'added', name, before, after }]
    return isDeepStrictEqual(before, after) ? [] : [{ kind: 'changed', name, before, after }]
  })
}

/** The change with its words marked: `[-taken away-]` and `{+added+}` among some words of what stays. */
export function describeWords(change: DocumentChange): string {
  const { kind, name, before, after } = change
  if (kind !== 'changed' || before === undefined || after === undefined) return describeChange(change)
  const words = wordDiff(toLines(before).join('\n'), toLines(after).join('\n'))
  return [`${SIGNS[kind]} ${name}`, ...words.split('\n').map((line) => `    ${line}`)].join('\n')
}

/** One line per change, and for changed documents the lines that differ: of a text its own, of other values those of YAML. */
export function describeChange({ kind, name, before, after }: DocumentChange): string {
  const head = `${SIGNS[kind]} ${name}`
  if (kind !== 'changed' || before === undefined || after === undefined) return head
  return [head, ...changedLines(toLines(before), toLines(after)).map((line) => `    ${line}`)].join('\n')
}

function toLines(value: JsonValue): string[] {
  return (typeof value === 'string' ? value : yamlText(value).trimEnd()).split('\n')
}
