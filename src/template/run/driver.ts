/**
 * How a render runs. Synchronous code goes first, always; only a render that has to wait, or takes long, restarts in
 * code that runs in steps. Decision 0001 says why.
 *
 *     renderSync, renderInto          execute, render, renderBytes
 *       mode synchronous                mode optimistic
 *             │                               │
 *             ▼                               ▼
 *     ┌──────────────────────────────────────────────────────┐
 *     │ synchronous code, once through                       │
 *     └──┬──────────┬───────────────┬─────────────────┬──────┘
 *        │          │               │                 │ SUSPEND: a result is needed that is pending,
 *        │          │               │                 │ or the time slice is used up
 *        │          │ an async      │ results that    ▼
 *        │          │ call fails    │ are only      mode cooperative
 *        │ done     │ in mode       │ printed     ┌─────────────────────────────────────────────┐
 *        │          │ synchronous   │ still pend  │ code in steps, from the start: calls        │
 *        │          │               │             │ take their results from the log of the run  │
 *        │          │               │             │ before, and others run between time slices  │
 *        │          │               │             └──────────────────┬──────────────────────────┘
 *        ▼          ▼               ▼                                ▼
 *      the text   the error       join: wait for what pends, in the order of the text
 *                                   ▼
 *                                 a promise of the text
 */
import { type RenderOptions, TemplateError, type TracedText, type TraceOptions } from '../api.js'
import { flattened } from '../format/in-one-piece.js'
import { isEngineLimit, outputLimit } from '../limit-errors.js'
import { type Site, withPartial } from '../site.js'
import type { Value } from '../value.js'
import { firstFailure } from './failure-order.js'
import { type Pending, SUSPEND } from './pending.js'
import { printInSlices } from './print-slowly.js'
import { type Defaults, Run, type RunTemplate } from './run.js'
import { GIVE_WAY, type Steps, takeSteps } from './steps.js'
import { Trace } from './trace.js'
import { waitFor } from './wait.js'
import { warnOfNoValue } from './warnings.js'

/** A program with its code, as it is run. */
export interface Runnable {
  /** Where every run begins. */
  readonly start: Site
  readonly defaults: Defaults
  readonly code: {
    /** The code whose long texts go straight to the bytes of an output; null without such texts. */
    readonly direct: RunnableCode | null
    /** The code for one way to run the program. */
    unit(json: boolean, asynchronous: boolean): RunnableCode
    /** The code for one render that is traced. */
    traced(): RunTemplate
  }
}

/** Code for one way to run a program. */
export interface RunnableCode {
  render(run: Run, data: Value): string | Steps<string>
}

/** How a finished run's raw output becomes what the caller asked for. */
export type Finish<T> = (raw: string, run: Run) => T

/** The raw text that a run adds at the end of its output, by code that never waits. @throws TemplateError, SUSPEND */
export function runThrough(code: RunnableCode, run: Run, data: Value): string {
  try {
    const text = code.render(run, data)
    if (typeof text === 'string') return text
  } catch (error) {
    // The engine may refuse a long expression only when it first runs.
    throw isEngineLimit(error) ? run.budget.limitMet(run.at, error) : error
  }
  throw new TypeError('synchronous code answered with steps')
}

/** Renders without waiting. @throws TemplateError also when an asynchronous function is reached */
export function renderThrough({ code }: Runnable, run: Run, data: Value): string {
  const text = runThrough(code.unit(run.output.json, false), run, data)
  return checked(run, run.output.before(text))
}

/** The result itself when the render ends without waiting, else a promise of it. */
export function execute<T>(
  program: Runnable,
  data: Value,
  options: RenderOptions,
  finish: Finish<T>,
): T | Promise<T> {
  const run = new Run(program.start, program.defaults, options, 'optimistic')
  let text: string
  try {
    text = options.isDoubted === true ? doubtedText(program, run, data) : firstText(program, run, data)
  } catch (error) {
    return goOn(program, run, data, finish, error)
  }
  if (!run.isPending && isShort(run, run.output.flushed + text.length))
    return finish(checked(run, run.output.before(text)), run)
  return whenSettled(run, text, finish)
}

/** The first text in a slice that is guarded. A function of its own: one with a closure takes memory for each render. */
function doubtedText(program: Runnable, run: Run, data: Value): string {
  return run.budget.slice(() => firstText(program, run, data))
}

/** Once nothing is pending any more. */
function whenSettled<T>(run: Run, text: string, finish: Finish<T>): Promise<T> {
  run.onlyWait()
  return waitFor(run, () => takeSteps(run, joined(run, text, finish)))
}

/** By synchronous code, to where results are needed that are under way. */
function firstText({ code }: Runnable, run: Run, data: Value): string {
  return runThrough(code.unit(run.output.json, false), run, data)
}

/** Renders and reports the source of every character, in code of its own that always awaits. */
export async function trace(program: Runnable, data: Value, options: TraceOptions): Promise<TracedText> {
  const { rules } = program.defaults
  const origins = new Trace<RunTemplate>(program.start.program, options)
  const run = new Run(program.start, program.defaults, { ...options, output: 'text' }, 'cooperative')
  run.trace = origins
  const raw = await waitFor(run, () => cooperate(program, run, data, asItIs))
  const spans = await takeSteps(run, origins.spans(raw))
  return { text: rules.toText(raw), spans }
}

/** After what ended the synchronous code early. @throws what it was, unless something is still pending */
function goOn<T>(program: Runnable, run: Run, data: Value, finish: Finish<T>, error: unknown): Promise<T> {
  if (error === SUSPEND) return waitFor(run, () => cooperate(program, run, data, finish))
  if (!run.isPending || error === run.budget.stopped) throw error
  run.onlyWait()
  return waitFor(run, () => takeSteps(run, failing(run, error)))
}

/** Runs again from the start, now waiting where that is needed and letting others run in between. */
async function cooperate<T>(program: Runnable, run: Run, data: Value, finish: Finish<T>): Promise<T> {
  // Calls that begin meanwhile cannot be begun again.
  run.budget.mode = 'cooperative'
  if (run.budget.slices.startedAt !== 0) await run.budget.giveWay()
  run.restart(program.start)
  return takeSteps(run, anew(program, run, data, finish))
}

function* anew<T>(program: Runnable, run: Run, data: Value, finish: Finish<T>): Steps<T> {
  let text: string
  try {
    const output = runAgain(program, run, data)
    text = typeof output === 'string' ? output : yield* output
  } catch (error) {
    throw yield* firstFailure(run, error)
  }
  return yield* joined(run, text, finish)
}

function runAgain({ code }: Runnable, run: Run, data: Value): string | Steps<string> {
  if (run.trace === null) return code.unit(run.output.json, true).render(run, data)
  run.data = data
  return code.traced()(run, '', data ?? undefined)
}

function* joined<T>(run: Run, text: string, finish: Finish<T>): Steps<T> {
  try {
    return finish(yield* join(run, text), run)
  } catch (error) {
    throw yield* firstFailure(run, error)
  }
}

function* failing(run: Run, error: unknown): Steps<never> {
  throw yield* firstFailure(run, error)
}

/** Puts the results that were pending into their places. */
function* join(run: Run, last: string): Steps<string> {
  let text = ''
  try {
    for (const segment of [...run.output.segments, last]) {
      const piece = typeof segment === 'string' ? segment : yield* settled(run, segment, text.length)
      text += piece
      if (text.length > run.budget.maxOutput) throw outputLimit(run.at, run.budget.maxOutput)
    }
    for (const pending of run.calls.pendings ?? []) yield pending
  } catch (error) {
    throw error instanceof TemplateError && error.partial === '' ? withPartial(error, text) : error
  }
  return yield* checkedInSteps(run, text)
}

/** The text of a result that was pending, after so much other output. */
function* settled(run: Run, pending: Pending, before: number): Steps<string> {
  const value = yield pending
  const text = yield* printInSlices(run, value, before)
  if (typeof value !== 'string' && pending.$site !== null) warnOfNoValue(run.output, text, pending.$site)
  run.trace?.settled(pending, text.length)
  return text
}

/** A unit of UTF-16 takes no more bytes of UTF-8. */
const BYTES_PER_UNIT = 3

/** Whether output is within its limit in bytes whatever it says. */
function isShort({ budget }: Run, length: number): boolean {
  return length * BYTES_PER_UNIT <= budget.maxOutput
}

/** Long output is put together, counted and given to what follows in a slice each: a few milliseconds. @throws TemplateError */
function* checkedInSteps(run: Run, text: string): Steps<string> {
  if (isShort(run, text.length)) return checked(run, text)
  const whole = flattened(text)
  yield GIVE_WAY
  checked(run, whole)
  yield GIVE_WAY
  return whole
}

/** A whole output, once it is within its limit in bytes. @throws TemplateError */
function checked(run: Run, text: string): string {
  const { maxOutput } = run.budget
  const fits = isShort(run, text.length) || (text.length <= maxOutput && Buffer.byteLength(text) <= maxOutput)
  if (!run.budget.writes(text.length) || !fits) throw withPartial(outputLimit(run.at, maxOutput), text)
  return text
}

function asItIs(raw: string): string {
  return raw
}
