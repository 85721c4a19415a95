import { cost, finishReason, isValidToolsCall, latency } from './answers.js'
import type { Assertion } from './assertion.js'
import { containsJson, isJson } from './json.js'
import { calls, error, roles, span, tokens } from './renders.js'
import { llmRubric } from './rubric.js'
import { javascript } from './script.js'
import {
  contains,
  containsAll,
  containsAny,
  equals,
  icontains,
  icontainsAll,
  icontainsAny,
  levenshteinDistance,
  regex,
  startsWith,
  wordCount,
} from './texts.js'

/** Assertions with promptfoo's names, which judge as promptfoo does; each may be negated with `not-`. */
export const SHARED_ASSERTIONS = {
  equals,
  contains,
  icontains,
  'contains-any': containsAny,
  'icontains-any': icontainsAny,
  'contains-all': containsAll,
  'icontains-all': icontainsAll,
  'starts-with': startsWith,
  regex,
  'is-json': isJson,
  'contains-json': containsJson,
  levenshtein: levenshteinDistance,
  'word-count': wordCount,
  latency,
  cost,
  'finish-reason': finishReason,
  javascript,
} as const satisfies Readonly<Record<string, Assertion>>

/** Of promptfoo too, which ignores a `not-` before it: so that is unknown here. */
export const UNNEGATED_ASSERTIONS = {
  'is-valid-openai-tools-call': isValidToolsCall,
} as const satisfies Readonly<Record<string, Assertion>>

/** Of promptfoo too; the words that the model is asked with are ours. */
export const MODEL_ASSERTIONS = { 'llm-rubric': llmRubric } as const satisfies Readonly<
  Record<string, Assertion>
>

/** Assertions about renders, which promptfoo does not have. */
export const RENDER_ASSERTIONS = { tokens, error, roles, calls, span } as const satisfies Readonly<
  Record<string, Assertion>
>

/** Assertions that wait, and so are never done in one piece. */
export const GIVING_WAY: ReadonlySet<string> = new Set(['tokens', 'javascript', 'llm-rubric'])

/** Compares with what `--update` kept. */
export const SNAPSHOT = 'snapshot'

/** Compares with what another version, label or the head renders. */
export const RENDERS = 'renders'

const ALL: ReadonlyMap<string, Assertion> = new Map(
  Object.entries({
    ...SHARED_ASSERTIONS,
    ...UNNEGATED_ASSERTIONS,
    ...MODEL_ASSERTIONS,
    ...RENDER_ASSERTIONS,
  }),
)

/** Whether an assertion looks at the render, also of a test with an answer. */
export function isAboutRender(type: string): boolean {
  return type === SNAPSHOT || type === RENDERS || Object.hasOwn(RENDER_ASSERTIONS, type)
}

/** The assertion of a name without `not-`; undefined for an unknown one and for `snapshot`. */
export function assertionOf(type: string): Assertion | undefined {
  return ALL.get(type)
}

/** Every name that a test may write, for suggestions. */
export const ASSERTION_NAMES: readonly string[] = [
  SNAPSHOT,
  RENDERS,
  `not-${RENDERS}`,
  ...Object.keys(UNNEGATED_ASSERTIONS),
  ...Object.keys({ ...SHARED_ASSERTIONS, ...MODEL_ASSERTIONS, ...RENDER_ASSERTIONS }).flatMap((name) => [
    name,
    `not-${name}`,
  ]),
]
