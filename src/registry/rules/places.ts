import type { Position } from '../../template/api.js'
import { offsetAt } from '../../template/position.js'
import type { Place } from '../locate.js'
import type { TemplateField } from '../template-fields.js'

/** The place of an offset in a template's text. */
export function placeAt({ path, text }: TemplateField, offset: number): Place {
  return { path, before: text.slice(0, offset) }
}

/** The place of a position that the engine tells. */
export function placeOf(field: TemplateField, position: Position): Place {
  return placeAt(field, offsetAt(field.text, position))
}

/** A path as templates write it. */
export function writtenPath(path: readonly string[]): string {
  return `.${path.join('.')}`
}
