import { schemaAt } from '../../schema/schema-at.js'
import { Positions, type UsedArgument, type UsedCall } from '../../template/host.js'
import { type JsonObject, own } from '../../util/json/json.js'
import { valueAt } from '../../util/json/json-path.js'
import type { PromptEntry } from '../snapshot.js'
import { REQUEST_ENTRIES } from './declared.js'
import { placeAt, placeOfPath, writtenPath } from './places.js'
import { type Advice, type PromptRule, type RuleScope, type UsedField, withRests } from './rule.js'

/** What an action prints as `<no value>`: an entry by `index` that may be missing, or a variable that may be null. */
export const noValue: PromptRule = function* (prompt, scope) {
  if (prompt.definition.engine !== 'go') return
  for (const field of scope.usageOf(prompt)) {
    yield* missingEntries(prompt, field, scope)
    yield* nullVariables(prompt, field)
  }
}

function* missingEntries(
  prompt: PromptEntry,
  field: UsedField,
  scope: RuleScope,
): Iterable<Advice | undefined> {
  for (const call of withRests(field.usage.calls)) {
    if (call === undefined) {
      yield
      continue
    }
    const path = call.isPrinted ? indexedPath(call) : undefined
    if (path === undefined || isSure(path, prompt, scope)) continue
    const written = writtenIndex(call)
    yield {
      message: `{{${written}}} prints <no value> where the entry is missing`,
      hint: `write {{${written} | default "…"}} or {{with ${written}}}{{.}}{{end}}`,
      place: placeAt(field, call.offset),
    }
  }
}

/** The whole path that an `index` of texts reads; undefined for another call, and where it depends on the request. */
function indexedPath({ name, arguments: [container, ...keys] }: UsedCall): readonly string[] | undefined {
  if (name !== 'index' || container?.kind !== 'path' || keys.length === 0) return undefined
  const texts = keys.flatMap((key) => (key.kind === 'text' ? [key.text] : []))
  return texts.length === keys.length ? [...container.path, ...texts] : undefined
}

function isSure(path: readonly string[], { definition }: PromptEntry, { snapshot }: RuleScope): boolean {
  const [first = '', ...rest] = path
  if (!REQUEST_ENTRIES.has(first)) return (valueAt(snapshot.context, path) ?? undefined) !== undefined
  const name = rest.at(-1) ?? ''
  const parent = schemaAt(definition.parameters, rest.slice(0, -1)) ?? {}
  const required = own(parent, 'required')
  const declared = schemaAt(definition.parameters, rest) ?? {}
  return (Array.isArray(required) && required.includes(name)) || own(declared, 'default') !== undefined
}

function writtenIndex({ arguments: values }: UsedCall): string {
  return ['index', ...values.map(writtenArgument)].join(' ')
}

function writtenArgument(value: UsedArgument): string {
  if (value.kind === 'path') return writtenPath(value.path)
  return value.kind === 'text' ? JSON.stringify(value.text) : '…'
}

function* nullVariables({ definition }: PromptEntry, field: UsedField): Iterable<Advice | undefined> {
  const positions = new Positions(field.text)
  const unguarded = new Set<number>()
  for (const read of withRests(field.usage.reads)) {
    if (read === undefined) yield
    else if (!read.conditional && !read.guarded) unguarded.add(positions.offsetOf(read))
  }
  const reported = new Set<string>()
  for (const print of withRests(field.usage.prints)) {
    if (print === undefined) {
      yield
      continue
    }
    const { path, offset } = print
    const [first = '', ...rest] = path
    const written = writtenPath(path)
    if (!REQUEST_ENTRIES.has(first) || !unguarded.has(offset) || reported.has(written)) continue
    if (!mayBeNull(schemaAt(definition.parameters, rest))) continue
    reported.add(written)
    yield {
      message: `${written} may be null, and null prints as <no value>`,
      hint: `write {{${written} | default "…"}} or {{with ${written}}}{{.}}{{end}}`,
      place: placeOfPath(field, offset),
    }
  }
}

function mayBeNull(schema: JsonObject | undefined): boolean {
  const type = own(schema ?? {}, 'type')
  return type === 'null' || (Array.isArray(type) && type.includes('null'))
}
