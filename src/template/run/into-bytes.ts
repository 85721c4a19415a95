import type { TemplateError } from '../api.js'
import { ByteSink } from '../fast/byte-sink.js'
import { toBytes, writeBytes } from '../format/byte-string.js'
import { outputLimit, targetLimit } from '../limit-errors.js'
import { withPartial } from '../site.js'
import type { Value } from '../value.js'
import { type Runnable, runThrough } from './driver.js'
import type { Run } from './run.js'

/** Renders to the start of a target. @returns how many bytes there are; @throws TemplateError */
export function renderInto({ code }: Runnable, run: Run, data: Value, target: Uint8Array): number {
  const direct = run.output.json ? null : code.direct
  if (direct === null) {
    const text = run.output.before(runThrough(code.unit(run.output.json, false), run, data))
    const length = writeBytes(text, target)
    if (fits(run, length)) return length
    throw tooLong(run, text, target)
  }
  const sink = new ByteSink(target)
  run.output.sink = sink
  const last = runThrough(direct, run, data)
  const length = run.output.sink === null ? -1 : sink.finish(run.output.unwritten(last))
  if (!fits(run, length)) throw tooLong(run, run.output.before(last), target)
  run.output.reset()
  return length
}

function fits({ budget }: Run, length: number): boolean {
  return length >= 0 && length <= budget.maxOutput
}

/** The error of an output that is longer than the limit, or than what it is written to. */
function tooLong(run: Run, output: string, target: Uint8Array): TemplateError {
  const { length } = toBytes(output)
  const error =
    length > run.budget.maxOutput
      ? outputLimit(run.at, run.budget.maxOutput)
      : targetLimit(run.at, target.length, length)
  return withPartial(error, output)
}
