import { type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { valueAt } from '../util/json/json-path.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import { MAX_URL_ARGUMENT_CHARACTERS } from './limits.js'
import { ToolFailure } from './tool-failure.js'

/** Where relative urls of tools lead. */
export interface BaseUrls {
  /** `TOOL_BASE_URLS`: by module. */
  readonly byModule: Readonly<Record<string, string>>
  /** `TOOL_BASE_URL`. */
  readonly fallback: string | undefined
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+):\d{1,5}(\/|$)/i
const AUTHORITY_AND_REST = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\\]*)([^#]*)/i
const PLACEHOLDER = /\{([A-Za-z_][\w.-]*)\}/g
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

/**
 * A tool's url in full: a relative one is appended to `modules.<module>.baseUrl` of the context, else to the
 * module's configured base url, else to the common one.
 *
 * @throws ToolFailure `invalid_tool` when there is no base url
 */
export function resolveToolUrl(url: string, module: string, context: JsonObject, bases: BaseUrls): string {
  if (SCHEME.test(url)) return url
  if (HOST_AND_PORT.test(url)) return `http://${url}`
  const base = contextBaseUrl(module, context) ?? moduleBaseUrl(module, bases) ?? bases.fallback
  if (base === undefined) {
    throw new ToolFailure(
      'invalid_tool',
      `the relative url "${url || '/'}" has no base: set modules.${module}.baseUrl, TOOL_BASE_URLS or TOOL_BASE_URL`,
    )
  }
  const root = SCHEME.test(base) ? base : `http://${base}`
  return url === '' ? root : `${withoutTrailing(root, '/')}/${url.replace(/^\/+/, '')}`
}

/** A url with its placeholders filled, and the arguments that are left for query or body. */
export interface FilledUrl {
  readonly url: URL
  readonly rest: JsonObject
}

/**
 * Fills `{name}` in path and query, percent-encoded; the host is never filled from arguments, and no value can
 * leave its path segment.
 *
 * @throws ToolFailure `invalid_arguments` for a missing or misfitting value, `invalid_tool` for a broken url
 */
export function fillUrl(template: string, args: JsonObject): FilledUrl {
  const match = AUTHORITY_AND_REST.exec(template)
  const [authority = '', path = ''] = [match?.[1], match?.[2]]
  if (authority.includes('{'))
    throw new ToolFailure('invalid_tool', 'arguments cannot name the host of a tool url')
  const used = new Set<string>()
  const filled = path.replace(PLACEHOLDER, (_, name: string) => {
    used.add(name)
    return encodeArgument(name, own(args, name))
  })
  if (used.size > 0) assertNoDotSegments(filled)
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !used.has(name)))
  return { url: parseUrl(authority + filled), rest }
}

/** The names that a url takes arguments for. */
export function placeholdersOf(url: string): readonly string[] {
  return [...url.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

/** @throws ToolFailure `invalid_tool` */
export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new ToolFailure('invalid_tool', `"${text}" is not a url`)
  const url = new URL(text)
  if (url.username === '' && url.password === '') return url
  throw new ToolFailure(
    'invalid_tool',
    'a tool url must not hold credentials; use headers with ${secret:NAME}',
  )
}

/**
 * Appends arguments to the query: lists repeat their name, objects are JSON, null is left out.
 *
 * @throws ToolFailure `invalid_arguments` for more than a url should hold
 */
export function appendQuery(url: URL, args: JsonObject): void {
  let left = MAX_URL_ARGUMENT_CHARACTERS
  for (const [name, value] of Object.entries(args)) {
    const items: readonly JsonValue[] = Array.isArray(value) ? value : [value]
    for (const item of items) {
      if (item === null) continue
      const text = toText(item)
      left -= name.length + text.length
      if (left < 0) throw tooLong()
      url.searchParams.append(name, text)
    }
  }
}

function tooLong(): ToolFailure {
  return new ToolFailure(
    'invalid_arguments',
    `a url takes at most ${MAX_URL_ARGUMENT_CHARACTERS} characters of arguments`,
  )
}

function encodeArgument(name: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') {
    throw new ToolFailure('invalid_arguments', `the url needs a value for {${name}}`)
  }
  const text = toText(value)
  if (text.length > MAX_URL_ARGUMENT_CHARACTERS) throw tooLong()
  if (/\p{Surrogate}/u.test(text))
    throw new ToolFailure('invalid_arguments', `{${name}} is not valid Unicode`)
  return encodeURIComponent(text)
}

function assertNoDotSegments(path: string): void {
  const [pathname = ''] = path.split('?')
  if (pathname.split(/[/\\]/).some((segment) => DOT_SEGMENT.test(segment))) {
    throw new ToolFailure('invalid_arguments', 'a path segment of the url may not become "." or ".."')
  }
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

function contextBaseUrl(module: string, context: JsonObject): string | undefined {
  const value = valueAt(context, ['modules', ...module.split('.'), 'baseUrl'])
  return typeof value === 'string' && value !== '' ? value : undefined
}

function moduleBaseUrl(module: string, bases: BaseUrls): string | undefined {
  return Object.hasOwn(bases.byModule, module) ? bases.byModule[module] : undefined
}
