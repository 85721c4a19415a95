import { TemplateError, type TemplateFailure } from './api.js'
import { hintFor } from './hints.js'
import { frameAt, positionAt } from './position.js'

/** So much of an action is looked at for a hint. */
const LONGEST_ACTION = 200

/** Where a text is wrong. */
export interface ErrorPlace {
  readonly source: string
  readonly name: string
  /** The line in Go's message; Go does not count line breaks inside comments. */
  readonly line: number
  /** Offset in UTF-16 code units. */
  readonly offset: number
  /** The entry of the data that has the variables, for hints. */
  readonly variablesIn?: string | undefined
}

/** The error of a text that does not parse, in Go's words, with the place and its source line for people. */
export function syntaxError(message: string, place: ErrorPlace, details: object = {}): TemplateError {
  return atPlace('template_syntax', 'syntax', message, place, details)
}

/** The error of a text that exceeds a limit while it is parsed. */
export function syntaxLimit(
  reason: Extract<TemplateFailure, 'depth' | 'source'>,
  message: string,
  place: ErrorPlace,
): TemplateError {
  return atPlace('render_limit', reason, message, place, {})
}

function atPlace(
  code: 'template_syntax' | 'render_limit',
  reason: TemplateFailure,
  message: string,
  place: ErrorPlace,
  details: object,
): TemplateError {
  const { line, column } = positionAt(place.source, place.offset)
  const frame = frameAt(place.source, place.offset)
  const hint = hintFor({
    dialect: 'go',
    message,
    text: place.source.slice(place.offset, place.offset + LONGEST_ACTION),
    before: place.source.slice(Math.max(0, place.offset - LONGEST_ACTION), place.offset),
    suggestions: suggestionsIn(details),
    variablesIn: place.variablesIn,
  })
  return new TemplateError(code, `template: ${place.name}:${place.line}: ${message}`, {
    stage: 'parse',
    reason,
    line,
    column,
    template: place.name,
    details: { line, column, frame, ...(hint === undefined ? {} : { hint }), ...details },
  })
}

function suggestionsIn(details: object): readonly string[] {
  const suggestions = 'suggestions' in details ? details.suggestions : []
  return Array.isArray(suggestions) ? suggestions.map(String) : []
}
