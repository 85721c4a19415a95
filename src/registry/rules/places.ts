import { offsetAt, type Position } from '../../template/host.js'
import type { Place } from '../locate.js'
import type { TemplateField } from '../template-fields.js'

/** The place of an offset in a template's text. */
export function placeAt({ path, text }: TemplateField, offset: number): Place {
  return { path, before: text.slice(0, offset) }
}

/** The place where a path begins, given one inside it: the engine reports that of the second name, as Go does. */
export function placeOfPath(field: TemplateField, position: Position | number): Place {
  const offset = typeof position === 'number' ? position : offsetAt(field.text, position)
  let start = offset
  while (offset - start < MAX_PATH && IN_PATH.test(field.text.charAt(start - 1))) start -= 1
  return placeAt(field, start)
}

/** A letter beyond the first plane ends a path: its halves are not letters. */
const IN_PATH = /[\p{L}\p{Nd}_.$]/u

/** Longer paths, in UTF-16 code units, are not followed back. */
const MAX_PATH = 200

/** A path as templates write it. */
export function writtenPath(path: readonly string[]): string {
  return `.${path.join('.')}`
}
