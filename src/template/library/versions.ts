import { at } from '../../util/at.js'
import { once } from '../../util/once.js'
import { re2js } from '../../util/packages/re2js.js'
import type { DeclaredFunction } from '../api.js'
import { SHORT_TEXT } from '../cost.js'
import { GoError } from '../format/go-error.js'
import { Stringer } from '../format/kind.js'
import { MAX_VERSION_CHARACTERS } from '../limits.js'
import { Typed } from '../value.js'
import { toNumber } from './cast.js'
import { definer, type LibraryFunction } from './library-function.js'

const define = definer('Versions', SHORT_TEXT)
const SUFFIX = '(-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?'
const VERSION = new RegExp(`^v?([0-9]+)(\\.[0-9]+)?(\\.[0-9]+)?${SUFFIX}$`)
const PATTERN = `v?([0-9|xX*]+)(\\.[0-9|xX*]+)?(\\.[0-9|xX*]+)?${SUFFIX}`
/** JavaScript takes the first alternative that fits where RE2 does too: longer operators go first here. */
const ORDERED_OPERATOR = '(!=|>=|=>|<=|=<|~>|=|>|<|~|\\^|)'
const CONSTRAINT = new RegExp(`^\\s*${ORDERED_OPERATOR}\\s*(${PATTERN})\\s*$`)
const FIND_CONSTRAINT = new RegExp(`${ORDERED_OPERATOR}\\s*(${PATTERN})`, 'g')
/** Spaces may belong to either side of a comma, which would send a backtracking matcher around for ages. */
const SEGMENT_PATTERN = `^(?:\\s*${ORDERED_OPERATOR}\\s*(?:${PATTERN})\\s*)(?:(?:\\s+|,\\s*)${ORDERED_OPERATOR}\\s*(?:${PATTERN})\\s*)*$`
/** Compiled when a constraint is first read, not at the start. */
const validSegment = once(() => re2js().RE2JS.compile(SEGMENT_PATTERN))
const RANGE = new RegExp(`\\s*(${PATTERN})\\s+-\\s+(${PATTERN})\\s*`, 'g')
const MAX_UINT64 = 2n ** 64n - 1n

/** Functions of semantic versions, as the Go package Masterminds/semver reads them. */
export const VERSION_FUNCTIONS: readonly LibraryFunction[] = [
  define('semver text', 'A version with the fields Major, Minor, Patch, Prerelease, Metadata and Original.', {
    parameters: ['string'],
    call: parseVersion,
    example: '{{(semver "1.2.3-beta.1").Prerelease}}',
  }),
  define('semverCompare constraint version', 'True if the version meets the constraint.', {
    parameters: ['string', 'string'],
    returns: 'bool',
    call: meetsConstraint,
    example: '{{semverCompare "^1.2.0" "1.3.0"}}',
  }),
]

/** True if a version meets a constraint such as `^1.2.0`. @throws GoError for an invalid version or constraint */
export function meetsConstraint(constraint: string, version: string): boolean {
  const alternatives = parseConstraints(constraint)
  const parsed = parseVersion(version)
  return alternatives.some((all) => all.every((one) => meets(parsed, one)))
}

/** A semver.Version of Go. */
class Version extends Stringer {
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: string
  readonly metadata: string
  readonly original: string

  constructor(
    numbers: readonly [bigint, bigint, bigint],
    prerelease: string,
    metadata: string,
    original: string,
  ) {
    super('*semver.Version', null)
    this.numbers = numbers
    this.prerelease = prerelease
    this.metadata = metadata
    this.original = original
  }

  override text(): string {
    const prerelease = this.prerelease === '' ? '' : `-${this.prerelease}`
    const metadata = this.metadata === '' ? '' : `+${this.metadata}`
    return this.numbers.join('.') + prerelease + metadata
  }

  override method(name: string): DeclaredFunction | undefined {
    const read = this.#reader(name)
    return read === undefined ? undefined : { call: read, parameters: [] }
  }

  #reader(name: string): (() => unknown) | undefined {
    switch (name) {
      case 'Major':
        return () => new Typed('uint64', toNumber(this.numbers[0]))
      case 'Minor':
        return () => new Typed('uint64', toNumber(this.numbers[1]))
      case 'Patch':
        return () => new Typed('uint64', toNumber(this.numbers[2]))
      case 'Prerelease':
        return () => this.prerelease
      case 'Metadata':
        return () => this.metadata
      case 'Original':
        return () => this.original
      case 'String':
        return () => this.text()
      default:
        return undefined
    }
  }
}

interface Constraint {
  readonly operator: string
  readonly version: Version
  /** Some part is missing or a wildcard. */
  readonly dirty: boolean
  readonly minorDirty: boolean
  readonly patchDirty: boolean
}

function parseVersion(text: string): Version {
  const match = text.length > MAX_VERSION_CHARACTERS ? null : VERSION.exec(text)
  if (match === null) throw new GoError('Invalid Semantic Version')
  const [, major = '', minor = '', patch = '', , prerelease = '', , metadata = ''] = match
  const numbers = [segment(major), segment(minor.slice(1)), segment(patch.slice(1))] as const
  for (const part of prerelease.split('.')) {
    if (/^0[0-9]+$/.test(part)) throw new GoError('Version segment starts with 0')
  }
  return new Version(numbers, prerelease, metadata, text)
}

function segment(digits: string): bigint {
  const value = BigInt(digits === '' ? 0 : digits)
  if (value <= MAX_UINT64) return value
  throw new GoError(
    `Error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`,
  )
}

function parseConstraints(text: string): Constraint[][] {
  if (text.length > MAX_VERSION_CHARACTERS) throw new GoError(`improper constraint: ${text}`)
  return rewriteRanges(text)
    .split('||')
    .map((segment) => {
      if (!validSegment().matches(segment)) throw new GoError(`improper constraint: ${segment}`)
      return Array.from(segment.matchAll(FIND_CONSTRAINT), ([one]) => parseConstraint(one))
    })
}

/** `1.2 - 1.4` to `>= 1.2, <= 1.4`. */
function rewriteRanges(text: string): string {
  return text.replace(RANGE, (...groups: unknown[]) => `>= ${groups[1]}, <= ${groups[9]}`)
}

function parseConstraint(text: string): Constraint {
  const match = CONSTRAINT.exec(text)
  if (match === null) throw new GoError(`improper constraint: ${text}`)
  const [, operator = '', , major = '', minor = '', patch = '', prerelease = ''] = match
  const majorDirty = isWildcard(major)
  const minorDirty = !majorDirty && isWildcard(minor.slice(1))
  const patchDirty = !majorDirty && !minorDirty && isWildcard(patch.slice(1))
  const dirty = majorDirty || minorDirty || patchDirty
  return {
    operator,
    version: constraintVersion(match, { majorDirty, minorDirty, patchDirty }, prerelease),
    dirty,
    minorDirty,
    patchDirty,
  }
}

function constraintVersion(
  match: RegExpExecArray,
  { majorDirty, minorDirty, patchDirty }: { majorDirty: boolean; minorDirty: boolean; patchDirty: boolean },
  prerelease: string,
): Version {
  const [, , whole = '', major = '', minor = ''] = match
  const text = majorDirty
    ? `0.0.0${prerelease}`
    : minorDirty
      ? `${major}.0.0${prerelease}`
      : patchDirty
        ? `${major}${minor}.0${prerelease}`
        : whole
  try {
    return parseVersion(text)
  } catch {
    throw new GoError('constraint Parser Error')
  }
}

function isWildcard(text: string): boolean {
  return text === '' || text === 'x' || text === 'X' || text === '*'
}

function meets(version: Version, constraint: Constraint): boolean {
  const { operator } = constraint
  const isUnwanted = version.prerelease !== '' && constraint.version.prerelease === ''
  if (isUnwanted && (operator !== '!=' || constraint.dirty)) return false
  switch (operator) {
    case '!=':
      return differs(version, constraint)
    case '>':
      return isGreater(version, constraint)
    case '<':
      return compareVersions(version, constraint.version) < 0
    case '>=':
    case '=>':
      return compareVersions(version, constraint.version) >= 0
    case '<=':
    case '=<':
      return isAtMost(version, constraint)
    case '~':
    case '~>':
      return meetsTilde(version, constraint)
    case '^':
      return meetsCaret(version, constraint)
    default:
      return constraint.dirty ? meetsTilde(version, constraint) : isSame(version, constraint.version)
  }
}

function differs(version: Version, constraint: Constraint): boolean {
  if (!constraint.dirty) return !isSame(version, constraint.version)
  const [major, minor, patch] = constraint.version.numbers
  if (major !== version.numbers[0]) return true
  if (constraint.minorDirty) return false
  if (minor !== version.numbers[1]) return true
  if (!constraint.patchDirty) return patch !== version.numbers[2] || !isSame(version, constraint.version)
  return comparePrereleases(version.prerelease, constraint.version.prerelease) !== 0
}

function isGreater(version: Version, constraint: Constraint): boolean {
  if (!constraint.dirty) return compareVersions(version, constraint.version) > 0
  const [major, minor] = constraint.version.numbers
  if (version.numbers[0] !== major) return version.numbers[0] > major
  if (constraint.minorDirty) return false
  if (constraint.patchDirty) return version.numbers[1] > minor
  return compareVersions(version, constraint.version) > 0
}

function isAtMost(version: Version, constraint: Constraint): boolean {
  if (!constraint.dirty) return compareVersions(version, constraint.version) <= 0
  const [major, minor] = constraint.version.numbers
  if (version.numbers[0] > major) return false
  return !(version.numbers[0] === major && version.numbers[1] > minor && !constraint.minorDirty)
}

function meetsTilde(version: Version, constraint: Constraint): boolean {
  if (compareVersions(version, constraint.version) < 0) return false
  const [major, minor, patch] = constraint.version.numbers
  const isAny =
    major === 0n && minor === 0n && patch === 0n && !constraint.minorDirty && !constraint.patchDirty
  if (isAny) return true
  return version.numbers[0] === major && (version.numbers[1] === minor || constraint.minorDirty)
}

function meetsCaret(version: Version, constraint: Constraint): boolean {
  if (compareVersions(version, constraint.version) < 0) return false
  const [major, minor, patch] = constraint.version.numbers
  if (major > 0n || constraint.minorDirty) return version.numbers[0] === major
  if (version.numbers[0] > 0n) return false
  if (minor > 0n || constraint.patchDirty) return version.numbers[1] === minor
  return version.numbers[1] === 0n && version.numbers[2] === patch
}

function isSame(left: Version, right: Version): boolean {
  return compareVersions(left, right) === 0
}

function compareVersions(left: Version, right: Version): number {
  for (const [i, number] of left.numbers.entries()) {
    const other = at(right.numbers, i)
    if (number !== other) return number < other ? -1 : 1
  }
  if (left.prerelease === right.prerelease) return 0
  if (left.prerelease === '') return 1
  if (right.prerelease === '') return -1
  return comparePrereleases(left.prerelease, right.prerelease)
}

function comparePrereleases(left: string, right: string): number {
  const leftParts = left.split('.')
  const rightParts = right.split('.')
  for (let i = 0; i < Math.max(leftParts.length, rightParts.length); i++) {
    const order = comparePart(leftParts[i] ?? '', rightParts[i] ?? '')
    if (order !== 0) return order
  }
  return 0
}

function comparePart(left: string, right: string): number {
  if (left === right) return 0
  if (left === '' || right === '') return left === '' ? -1 : 1
  const isLeftNumber = /^[0-9]+$/.test(left)
  const isRightNumber = /^[0-9]+$/.test(right)
  if (isLeftNumber && isRightNumber) return BigInt(left) > BigInt(right) ? 1 : -1
  if (isLeftNumber !== isRightNumber) return isLeftNumber ? -1 : 1
  return left > right ? 1 : -1
}
