import { isDeepStrictEqual } from 'node:util'
import { countTokens } from '../../prompts/count-tokens.js'
import type { TextSpan } from '../../template/host.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import { type Assertion, ClaimFault, type TestedOutput } from './assertion.js'
import { separatedByCommas } from './separated-by-commas.js'
import { countWithin } from './texts.js'

/** How many tokens the output has (o200k_base): at most `threshold`, or a number, or `{min, max}`. */
export const tokens: Assertion = async ({ texts }, claim) =>
  countWithin(await countTokens(texts), claim, 'tokens')

/** The render fails with this code, or with `{code, message}`, of whose message a part is enough. */
export const error: Assertion = ({ failure }, { type, value }) => {
  const wanted: JsonValue | undefined = typeof value === 'string' ? { code: value } : value
  if (!isJsonObject(wanted)) throw new ClaimFault(`${type} needs a code, or an object with code and message`)
  const [code, message] = [textField(wanted, 'code'), textField(wanted, 'message')]
  const holds =
    failure !== undefined &&
    (code === undefined || failure.code === code) &&
    (message === undefined || failure.message.includes(message))
  return {
    holds,
    expected: `to fail with ${[code, message].filter((part) => part !== undefined).join(': ')}`,
    actual: failure === undefined ? 'it rendered' : `it failed with ${failure.code}: ${failure.message}`,
  }
}

/** The roles of the conversation, in order: a list, or a text with commas. */
export const roles: Assertion = ({ messages }, { type, value }) => {
  const wanted = typeof value === 'string' ? separatedByCommas(value) : value
  if (!Array.isArray(wanted)) throw new ClaimFault(`${type} needs a list of roles as its value`)
  const found = messages.map(({ role }) => role)
  return {
    holds: isDeepStrictEqual(found, wanted),
    expected: `to have the roles ${wanted.join(', ')}`,
    actual: `it has ${found.join(', ')}`,
  }
}

/** The calls of tools, in order: each a tool's id, or `{tool, arguments}`; arguments that are not named do not count. */
export const calls: Assertion = ({ calls: found }, { type, value }) => {
  if (!Array.isArray(value)) throw new ClaimFault(`${type} needs a list of calls as its value`)
  const holds = found.length === value.length && value.every((each, index) => isCall(found[index], each))
  return {
    holds,
    expected: `to call ${value.length === 0 ? 'no tool' : stringifyJson(value)}`,
    actual: found.length === 0 ? 'it called none' : `it called ${stringifyJson(found)}`,
  }
}

function isCall(found: TestedOutput['calls'][number] | undefined, wanted: JsonValue): boolean {
  if (found === undefined) return false
  if (!isJsonObject(wanted)) return found.tool === wanted
  const args = own(wanted, 'arguments')
  return (
    found.tool === own(wanted, 'tool') &&
    (!isJsonObject(args) ||
      Object.entries(args).every(([name, value]) => isDeepStrictEqual(own(found.arguments, name), value)))
  )
}

/** A text of the output comes from `path`, from the tool `call`, or from the template `template`, every character of it. */
export const span: Assertion = ({ texts, spans }, { type, value }) => {
  const wanted = isJsonObject(value) ? value : {}
  const text = textField(wanted, 'text')
  if (text === undefined || text === '' || Object.keys(wanted).length < 2)
    throw new ClaimFault(`${type} needs an object with text and one of path, tool, template, kind`)
  const origins = texts.flatMap((each, index) => originsOf(text, each, spans[index] ?? []))
  return {
    holds: origins.some((list) => list.every((origin) => isFrom(origin, wanted))),
    expected: `to have ${JSON.stringify(text)} from ${placeOf(wanted)}`,
    actual:
      origins.length === 0
        ? 'the text is not there'
        : `it comes from ${origins.map(describeAll).join(' or ')}`,
  }
}

/** For each occurrence of a text, the spans it is made of. */
function originsOf(
  text: string,
  whole: string,
  spans: readonly TextSpan[],
): readonly (readonly TextSpan[])[] {
  const found: (readonly TextSpan[])[] = []
  for (let start = whole.indexOf(text); start !== -1; start = whole.indexOf(text, start + 1)) {
    const end = start + text.length
    found.push(spans.filter((each) => each.start < end && each.end > start))
  }
  return found
}

function isFrom(origin: TextSpan, wanted: JsonObject): boolean {
  const path = textField(wanted, 'path')
  return (
    (path === undefined || origin.path === path || origin.path?.startsWith(`${path}.`) === true) &&
    [
      [own(wanted, 'tool'), origin.call],
      [own(wanted, 'template'), origin.template],
      [own(wanted, 'kind'), origin.kind],
    ].every(([asked, is]) => asked === undefined || asked === is)
  )
}

function placeOf(wanted: JsonObject): string {
  return Object.entries(wanted)
    .filter(([name]) => name !== 'text')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
}

function describeAll(origins: readonly TextSpan[]): string {
  return [...new Set(origins.map(({ kind, path, call }) => path ?? call ?? kind))].join(' and ')
}
