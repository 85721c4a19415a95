import type { CheckedText, TemplateEngine } from '../registry/template-engine.js'
import {
  type CompileOptions,
  checkInSteps,
  compileInSteps,
  DEFAULT_TEMPLATE_LIMITS,
  type FunctionLookup,
  functionLibrary,
  type HostTemplate,
  mayBeFunction,
} from '../template/host.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import type { DoubtedWork, GuardedWork } from './guarded-work.js'
import { INLINE } from './inline-prompt.js'

/**
 * Characters of a text that, where it defines nothing, is parsed and analyzed in a few milliseconds, whatever it says
 * (`test/slow/short-texts.test.ts`). A guard for each of them would take more time than the text itself: rows "load" of
 * `npm run bench:scale`.
 */
export const SHORT_TEMPLATE = 8_000
/** What makes a text call parts of itself. */
const DEFINES = /define|block/
/** Number of characters that distinguish a text from others of the same name and length. */
const DISTINGUISHED = 200

/**
 * The template engine as the service uses it: with the function library, and texts up to this many bytes.
 *
 * @param guarded does what is doubted: reading a long text, or one that calls itself
 */
export function createTemplateEngine(maxTemplateBytes: number, guarded?: GuardedWork): TemplateEngine {
  const limits = { maxSourceBytes: maxTemplateBytes }
  const allLimits = { ...DEFAULT_TEMPLATE_LIMITS, ...limits }
  const check = (source: string, { name, dialect }: CheckedText) =>
    checkInSteps(source, { name, dialect, functions: ANY_FUNCTIONS, variablesIn: 'variables' }, allLimits)
  const readWhole = (source: string, options: CompileOptions) =>
    readForRender(source, { ...options, variablesIn: 'variables', limits })
  /** In slices, if it is doubted. */
  const inSlices =
    <Options extends CompileOptions, Result>(begin: Reading<Options, Result>): Reading<Options, Result> =>
    (source, options) =>
      guarded === undefined || !isDoubted(source, options)
        ? begin(source, options)
        : guarded.attemptInSlices(compiling(source, options), () => begin(source, options))
  return {
    functions: functionLibrary,
    maxTemplateBytes,
    check: inSlices(check),
    compileToRender: (source, options) =>
      guarded === undefined || !isDoubted(source, options)
        ? runNow(readWhole(source, options))
        : guarded.run(compiling(source, options), () => runNow(readWhole(source, options))),
    compileToRenderInSlices: (source, options) => {
      if (isDoubted(source, options)) guarded?.assertWelcome(compiling(source, options))
      return inSlices(readWhole)(source, options)
    },
  }
}

/** Compiles, and works out all that is known of the template. */
function* readForRender(source: string, options: CompileOptions): Sliced<HostTemplate> {
  const template = yield* compileInSteps(source, options)
  yield
  yield* template.analyzeInSteps()
  return template
}

type Reading<Options, Result> = (source: string, options: Options) => Sliced<Result>

/** Tools may come and go, so unknown functions are not errors while a text is only checked. */
const ANY_FUNCTIONS: FunctionLookup = { has: mayBeFunction, get: () => undefined }

function isDoubted(source: string, { name = '' }: CompileOptions): boolean {
  return source.length > SHORT_TEMPLATE || DEFINES.test(source) || isOfRequest(name)
}

/** Whether a template's name says that a request brought it along: `inline`, `inline/messages[0].content`. */
function isOfRequest(name: string): boolean {
  return name === INLINE || name.startsWith(`${INLINE}/`)
}

function compiling(source: string, { name = '' }: CompileOptions): DoubtedWork {
  const text = `compile ${name} ${source.length} ${source.slice(0, DISTINGUISHED)}`
  return { kind: 'compile', name, text, caller: undefined }
}
