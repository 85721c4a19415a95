import { editDistance } from './util/errors/near-names.js'

/** Variables with these beginnings are ours: one we do not know is a mistake, not somebody else's. */
export const OUR_PREFIXES = [
  'RENDER_',
  'LLM_',
  'TOOL_',
  'TEMPLATE_CACHE_',
  'CATALOG_',
  'KEY_PREFIX',
  'RESYNC_',
  'API_KEY',
  'ALLOW_ANONYMOUS',
  'ALLOWED_HOSTS',
  'RATE_LIMIT',
  'TRUST_PROX',
  'REDIS_',
  'CONFIG_FILE',
  'KEYS_FILE',
  'METRICS_ACCESS',
  'ADMIN_PORT',
]
/** Settings that close a door: one that was meant and not read leaves it open. */
const DOORS = [
  'API_KEYS',
  'API_KEYS_FILE',
  'KEYS_FILE',
  'METRICS_ACCESS',
  'ALLOW_ANONYMOUS',
  'ALLOWED_HOSTS',
  'RATE_LIMIT',
  'TRUST_PROXY',
]
/**
 * Kubernetes service links (`REDIS_PORT_6379_TCP_ADDR`), the Render.com platform and Node itself use the same
 * beginnings.
 */
const FOREIGN =
  /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP)(_|$)|$)|^RENDER_(SERVICE|INSTANCE|GIT|EXTERNAL|DISCOVERY|CPU|WEB)_|^NODE_/

/** Names shorter than this differ too easily: only one letter counts as a slip. */
const SHORT = 6
/** A name this long that only stops early is an abbreviation. */
const ABBREVIATION = 8

export interface UnknownNames {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Looks for settings that were meant and misspelled: problems, where the name begins like ours or nearly is a
 * setting of security, else warnings.
 */
export function unknownNames(given: readonly string[], known: readonly string[]): UnknownNames {
  const problems: string[] = []
  const warnings: string[] = []
  for (const name of [...given].sort()) {
    if (known.includes(name) || FOREIGN.test(name)) continue
    const near = nearest(name, known)
    const isOurs = OUR_PREFIXES.some((prefix) => name.startsWith(prefix))
    const hint = near === undefined ? '' : `, did you mean ${near}?`
    if (isOurs || nearest(name, DOORS) !== undefined) problems.push(`${name}: no such setting${hint}`)
    else if (near !== undefined) warnings.push(`${name} is not a setting${hint}`)
  }
  return { problems, warnings }
}

/** The setting that a name is a slip or an abbreviation of. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name)
  const near = known
    .map((each) => ({ name: each, distance: distanceTo(plain, plainName(each)) }))
    .filter(({ distance }) => distance <= slips(plain))
    .sort((one, other) => one.distance - other.distance)
  const first = near[0]?.name
  if (first !== undefined) return first
  const isAbbreviation = name.includes('_') && name.length >= ABBREVIATION
  return isAbbreviation ? known.find((each) => each.startsWith(name)) : undefined
}

function distanceTo(name: string, setting: string): number {
  return Math.abs(name.length - setting.length) > 2 ? Number.POSITIVE_INFINITY : editDistance(name, setting)
}

function slips(name: string): number {
  return name.length < SHORT ? 1 : 2
}

function plainName(name: string): string {
  return name.toUpperCase().replaceAll('_', '')
}
