import type { Json } from '../../support/test-app.js'
import type { CostlyCall } from '../tables/costly-calls.js'
import type { HttpRow } from '../tables/http-row.js'

const SMALL = 'x'.repeat(5_000)
/** Some fit after all, and some are no right calls. */
const STATUSES = [200, 400, 500, 503]
/** `overloaded` is for a slice that was stopped twice while other programs, such as the attacker, had the processor. */
const CODES = ['template_error', 'render_limit', 'render_timeout', 'overloaded']

/** What a costly call reads. */
export function dataOf({ data }: CostlyCall): Json {
  return data?.() ?? SMALL
}

/** A text that does a costly call, with what is read there as its data. */
export function textOf({ definitions = '', action }: CostlyCall, value: string): string {
  return `${definitions}{{$v := ${value}}}${action}`
}

/** A costly call as a text of a request. */
export function inlineRow(call: CostlyCall): HttpRow {
  return {
    name: call.name,
    path: '/api/render',
    body: () => ({ prompt: { userPrompt: textOf(call, '.variables.v') }, variables: { v: dataOf(call) } }),
    status: STATUSES,
    code: CODES,
  }
}

/** A costly call as a prompt of the catalog, of which clients send the variables. */
export function storedRow(call: CostlyCall, index: number): HttpRow {
  return {
    ...inlineRow(call),
    path: `/api/render/prompts/costly.row${index}`,
    body: () => ({ variables: { v: dataOf(call) } }),
  }
}

/** The prompts of those. */
export function storedDocuments(calls: readonly CostlyCall[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    calls.map((call, index) => [
      `templates/costly/row${index}.json`,
      { userPrompt: textOf(call, '.variables.v') },
    ]),
  )
}

/** A costly call on what it finds in the shared context. */
export function contextRow(call: CostlyCall, index: number): HttpRow {
  return {
    ...inlineRow(call),
    body: () => ({ prompt: { userPrompt: textOf(call, `.costly${index}.v`) } }),
  }
}

/** The environs of those. */
export function contextDocuments(calls: readonly CostlyCall[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(calls.map((call, index) => [`environs/costly${index}.json`, { v: dataOf(call) }]))
}
