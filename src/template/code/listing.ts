import { positionAt } from '../position.js'
import type { Site } from '../program.js'
import type { Constants } from './constants.js'
import { formatSource } from './format-source.js'
import { type Source, STRICT } from './source.js'

/** What a listing shows of a constant is cut here. */
const SHOWN = 40
const FUNCTION = /\bfunction \(run,/

/**
 * Generated code as people read it: a statement a line, and beside it the constants it names, with
 * their places.
 *
 * @param templates whose functions they are, in order
 */
export function listing(
  { body }: Source,
  { names, shown: values }: Constants,
  templates: Iterable<string>,
): string {
  const shown = new Map(names.map((name, index) => [name, shownOf(values[index])]))
  const titles = [...templates].values()
  return formatSource(body.slice(STRICT.length))
    .map((line) => (FUNCTION.test(line) ? titled(line, titles.next().value) : withComment(line, shown)))
    .join('\n')
}

/** The beginning of a template's function. */
function titled(line: string, template: string | undefined): string {
  return template === undefined ? line : `${line} // ${cut(JSON.stringify(template))}`
}

function withComment(line: string, shown: ReadonlyMap<string, string>): string {
  const words = new Set(line.match(/\b[a-zA-Z]+\d+\b/g) ?? [])
  const notes = [...words].flatMap((word) => shown.get(word) ?? [])
  return notes.length === 0 ? line : `${line} // ${notes.join(', ')}`
}

/** A text as it is, a place as line, column and its text; empty for constants that need no explanation. */
function shownOf(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value))
  if (typeof value !== 'object' || value === null) return String(value)
  const site = siteIn(value)
  return site === undefined ? (value.constructor?.name ?? 'object') : placeOf(site)
}

/** The place that a constant is, or that it has under one of the names of the tables of places. */
function siteIn(value: object): Site | undefined {
  if (isSite(value)) return value
  const members = ['at', 'callSite', 'site'].map((name) =>
    Object.hasOwn(value, name) ? memberOf(value, name) : undefined,
  )
  return members.find(isSite)
}

function memberOf(value: object, name: string): unknown {
  return Reflect.get(value, name)
}

function isSite(value: unknown): value is Site {
  return (
    typeof value === 'object' &&
    value !== null &&
    'program' in value &&
    'node' in value &&
    'template' in value
  )
}

function placeOf({ program, node }: Site): string {
  const { line, column } = positionAt(program.source, node.position)
  return cut(`${line}:${column} ${program.rules.printNode(node)}`)
}

/** In one line, and so that it ends no comment of a line. */
function cut(text: string): string {
  const flat = text.replace(/\s+/g, ' ')
  return flat.length <= SHOWN ? flat : `${flat.slice(0, SHOWN).toWellFormed()}…`
}
