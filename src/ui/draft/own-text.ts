import type { JsonObject, PromptSource } from '../api/shapes.js'
import { parseYaml, withChanges, yamlOf } from './yaml-text.js'

/** What a draft is made of, to write it as its author would. */
export interface DraftParts {
  /** The document as it is stored; undefined for a prompt that has none of its own. */
  readonly source: PromptSource | undefined
  readonly stored: JsonObject
  readonly draft: JsonObject
  /** What somebody wrote as the document, if that is what they did last. */
  readonly written: string | undefined
}

/** A draft in the format of its document: as it was written, else the stored text with what the draft changes. */
export function ownText({ source, stored, draft, written }: DraftParts): string {
  if (written !== undefined && saysNothingElse(written, draft)) return written
  if (source === undefined) return yamlOf(draft)
  if (source.format === 'yaml') return withChanges(source.text, stored, draft)
  return `${JSON.stringify(merged(source.text, stored, draft), undefined, 2)}\n`
}

/** Reads a document in YAML or JSON, which is YAML, too. @throws Error that says where it is wrong */
export function parseDocument(text: string): JsonObject {
  return parseYaml(text)
}

/** Where a text is invalid: line and column, from 1. */
export function placeOfError(error: unknown): { readonly line: number; readonly column: number } | undefined {
  if (typeof error !== 'object' || error === null || !('linePos' in error)) return undefined
  const { linePos } = error
  const first: unknown = Array.isArray(linePos) ? linePos[0] : undefined
  if (typeof first !== 'object' || first === null || !('line' in first) || !('col' in first)) return undefined
  const { line, col } = first
  return typeof line === 'number' && typeof col === 'number' ? { line, column: col } : undefined
}

/** True for a text that is this draft, or no document yet: its writer is not interrupted. */
function saysNothingElse(text: string, draft: JsonObject): boolean {
  try {
    return JSON.stringify(parseYaml(text)) === JSON.stringify(draft)
  } catch {
    return true
  }
}

function merged(text: string, stored: JsonObject, draft: JsonObject): JsonObject {
  let before: JsonObject
  try {
    before = parseYaml(text)
  } catch {
    return draft
  }
  const kept = Object.entries(before).filter(([name]) => !(name in stored) || name in draft)
  const changed = Object.entries(draft).filter(
    ([name, value]) => !(name in before) || JSON.stringify(stored[name]) !== JSON.stringify(value),
  )
  return { ...Object.fromEntries(kept), ...Object.fromEntries(changed) }
}
