import type { CallCost } from '../../../src/template/api.js'
import { BUILTINS } from '../../../src/template/builtins.js'
import { COMPARE, ELEMENTS, FEW, GLANCE } from '../../../src/template/cost.js'
import { LIBRARY_FUNCTIONS } from '../../../src/template/library/function-library.js'
import { MAX_CALL_MS } from '../../../src/template/limits.js'
import { SHAPES } from './shapes.js'

/** A call with one shape of large value. */
export interface CostCase {
  /** Its way, and what is called. */
  readonly name: string
  readonly source: string
  /** What is called, in whichever way: what is admitted of it is about the same. */
  readonly call: string
  readonly dialect: 'go' | 'handlebars'
  readonly shape: string
  readonly size: number
}

/** What can be called: a function, a builtin, a verb, a helper, or a piece of the language. */
interface Subject {
  readonly name: string
  readonly cost: CallCost
  /** By the type of each argument; the last one is repeated where there are many. */
  readonly parameters: readonly string[]
  readonly isVariadic: boolean
  /** The call with these arguments, `.large` among them. */
  readonly call: (values: readonly string[]) => string
  readonly dialect: 'go' | 'handlebars'
  /** The first this many of all ways. */
  readonly ways?: number
}

/** A call once, and again and again. */
const GO_WAYS: Readonly<Record<string, (call: string) => string>> = {
  once: (call) => `{{$x := ${call}}}`,
  'in a range': (call) => `{{range 12}}{{$x := ${call.replaceAll(/(?<![$])[.]large/g, '$.large')}}}{{end}}`,
}
const HANDLEBARS_WAYS: Readonly<Record<string, (call: string) => string>> = {
  once: (call) => call,
}
/** What is asked of a function of many arguments. */
const MANY = 250
/** Of a function's own bounds: just below, and where other bounds lie that are lower for some values. */
const FRACTIONS = [0.98, 0.3]
const LONGEST_TEXT = 2_000_000
const MOST_ELEMENTS = 200_000
const MAX_UNITS = MAX_CALL_MS * 1_000_000

/** Every case: each function, verb and helper with each shape in each place, at each size. */
export function* costCases(shapes = SHAPES): Generator<CostCase> {
  for (const subject of SUBJECTS) {
    const ways = Object.entries(subject.dialect === 'go' ? GO_WAYS : HANDLEBARS_WAYS).slice(
      0,
      subject.ways ?? 9,
    )
    for (const values of callsOf(subject)) {
      for (const [way, wrap] of ways) {
        const call = subject.call(values)
        const source = wrap(call)
        for (const [shape, sizes] of sizesOf(subject, values, shapes)) {
          for (const size of sizes) {
            const text =
              source.length > 200 ? `${source.slice(0, 100)} … ${source.length} characters` : source
            yield {
              name: `${way}: ${text}`,
              source,
              call,
              dialect: subject.dialect,
              shape,
              size,
            }
          }
        }
      }
    }
  }
}

/** One large value in each place, two next to each other, very many, and one among very many small ones. */
function callsOf({ parameters, isVariadic }: Subject): readonly (readonly string[])[] {
  const places = parameters.map((_, i) => i).filter((i) => takesLarge(parameters[i] ?? ''))
  const small = (i: number) => smallValue(parameters[i] ?? 'any')
  const one = places.map((place) => parameters.map((_, i) => (i === place ? '.large' : small(i))))
  const all = parameters.map((_, i) => (places.includes(i) ? '.large' : small(i)))
  const many =
    isVariadic && places.includes(parameters.length - 1)
      ? [[...all.slice(0, -1), ...Array(MANY).fill('.large')]]
      : []
  const among = isVariadic
    ? one.map((values) => [...values, ...Array(MANY).fill(oneOfMany(parameters.at(-1)))])
    : []
  return places.length > 1 ? [...one, all, ...many, ...among] : [...one, ...many, ...among]
}

/** A small value in one operand: an action has only so many. */
function oneOfMany(parameter = 'any'): string {
  return { 'map[string]any': '$.few', '[]any': '$.small' }[parameter] ?? smallValue(parameter)
}

function takesLarge(parameter: string): boolean {
  return !['int', 'float64', 'bool', 'time.Time'].includes(parameter)
}

function smallValue(parameter: string): string {
  switch (parameter) {
    case 'string':
      return '"a"'
    case 'float64':
      return '1.5'
    case 'bool':
      return 'true'
    case 'map[string]any':
      return '(dict "a" 1)'
    case '[]any':
      return '(list 1)'
    case 'time.Time':
      return 'now'
    default:
      return '1'
  }
}

/** Sizes below the bounds of the call, for each shape that its parameters take. */
function sizesOf(
  { cost, parameters }: Subject,
  values: readonly string[],
  shapes: typeof SHAPES,
): readonly (readonly [string, readonly number[]])[] {
  const count = values.filter((value) => value === '.large').length
  const types = parameters.filter(takesLarge)
  const takesText = types.some((type) => type === 'string' || type === 'any' || type === 'value')
  const takesStructure = types.some((type) => type !== 'string')
  const isDict = types.length > 0 && types.every((type) => type === 'map[string]any')
  const texts = takesText ? Object.keys(shapes.texts) : []
  const structures = takesStructure
    ? Object.keys(shapes.structures).filter((shape) => !isDict || /dict$|keys/.test(shape))
    : []
  return [
    ...texts.map((shape) => [shape, sizes(longestText(cost), count)] as const),
    ...structures.map((shape) => [shape, sizes(mostElements(cost, shape), count)] as const),
  ]
}

function longestText({ maxCharacters, perCharacter }: CallCost): number {
  return Math.min(maxCharacters, perCharacter === 0 ? LONGEST_TEXT : MAX_UNITS / perCharacter, LONGEST_TEXT)
}

function mostElements({ maxElements, perElement, perMember, elements }: CallCost, shape: string): number {
  if (elements === 'none') return shape.includes('key') || shape === 'dict' ? 40_000 : MOST_ELEMENTS
  const each = /dict$|keys/.test(shape) ? perMember : perElement
  const bound = maxElements / Math.max(1, each / Math.max(1, perElement))
  return Math.min(bound, each === 0 ? MOST_ELEMENTS : MAX_UNITS / each, MOST_ELEMENTS)
}

/** For each of this many arguments, and as if each were alone: what bounds arguments one by one is caught by the second. */
function sizes(bound: number, count: number): readonly number[] {
  const together = FRACTIONS.map((fraction) => Math.floor((bound * fraction) / count))
  const alone = count > 1 ? [Math.floor(bound * 0.98)] : []
  return [...new Set([...together, ...alone])].filter((size) => size > 3)
}

const VERBS = 'vsqxXdTtbcoOeEfgGUpw'
const FLAGS = ['', '+', '#', '-', ' ', '#+', '1000', '099', '.3', '1000.300', '.0', '*']

function verb(format: string, prefix: readonly string[] = []): Subject {
  return {
    name: `printf ${format}`,
    ways: 1,
    cost: ELEMENTS,
    parameters: ['any'],
    isVariadic: false,
    dialect: 'go',
    call: (values) => `printf "${format}" ${[...prefix, ...values].join(' ')}`,
  }
}

function goCall(name: string): Subject['call'] {
  return (values) => `${name} ${values.join(' ')}`
}

function language(
  name: string,
  cost: CallCost,
  call: Subject['call'],
  dialect: Subject['dialect'] = 'go',
): Subject {
  return { name, cost, parameters: ['any'], isVariadic: false, call, dialect }
}

const FUNCTIONS: readonly Subject[] = [
  ...[...BUILTINS].map(([name, { types, variadic, cost }]) => ({
    name,
    cost: ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].includes(name) ? COMPARE : cost,
    parameters: variadic && types.length < 2 ? [...types, ...types] : types,
    isVariadic: variadic,
    call: goCall(name),
    dialect: 'go' as const,
  })),
  ...LIBRARY_FUNCTIONS.map(({ name, parameters, variadic, cost }) => ({
    name,
    cost,
    parameters: variadic === true && parameters.length < 2 ? [...parameters, ...parameters] : parameters,
    isVariadic: variadic === true,
    call: goCall(name),
    dialect: 'go' as const,
  })),
].filter(({ name }) => name !== 'fail' && name !== 'call')

const FORMATS: readonly Subject[] = [
  ...[...VERBS].flatMap((letter) =>
    FLAGS.map((flags) => verb(`%${flags}${letter}`, flags === '*' ? ['3'] : [])),
  ),
  ...['%[1]v%[1]v', '%.0[1]x%[1]q', '%d%d', '%%', '%[1]*[1]d', '%[9]d'].map((format) => verb(format)),
  ...['%.0[1]x', '%[1]s', '%[', '%%', '%v', '%5d', '%!'].map((piece) => ({
    ...verb(piece),
    name: `printf of ${piece} again and again`,
    call: ([value]: readonly string[]) => `printf (repeat 9000 "${piece}") ${value}`,
  })),
]

/** What is no call, and takes as long as its value is large. */
const LANGUAGE: readonly Subject[] = [
  language(
    'range of keys',
    COMPARE,
    ([value]) => `len "x"}}{{range $k, $v := ${value}}}{{break}}{{end}}{{len "x"`,
  ),
  language(
    'range of values',
    COMPARE,
    ([value]) => `len "x"}}{{range 5}}{{range $${value}}}{{break}}{{end}}{{end}}{{len "x"`,
  ),
  language('with', GLANCE, ([value]) => `len "x"}}{{with ${value}}}{{end}}{{len "x"`),
  language('field', GLANCE, ([value]) => `${value}.a`),
  language('value', GLANCE, ([value]) => `len "x"}}{{${value}}}{{len "x"`),
  language('call of a user', FEW, ([value]) => `own ${value}`),
  language('handlebars value', GLANCE, () => '{{large}}', 'handlebars'),
  language('handlebars each', GLANCE, () => '{{#each large}}{{this}}{{/each}}', 'handlebars'),
  language('handlebars if', GLANCE, () => '{{#if large}}a{{else}}b{{/if}}', 'handlebars'),
  language('handlebars raw value', GLANCE, () => '{{{large}}}', 'handlebars'),
]

const SUBJECTS: readonly Subject[] = [...FUNCTIONS, ...FORMATS, ...LANGUAGE]

/** A case with its size, as it is listed. */
export function titleOf({ size, shape, name }: CostCase): string {
  return `${size} of ${shape}, ${name}`
}
