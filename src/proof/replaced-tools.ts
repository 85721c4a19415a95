import type { ToolEntry } from '../registry/snapshot.js'
import { prepareArguments } from '../tools/prepare-arguments.js'
import { substituteFor } from '../tools/substitute.js'
import { refusedOutcome, type ToolCaller, type ToolOutcome } from '../tools/tool.js'
import { type ToolFailure, toToolFailure } from '../tools/tool-failure.js'
import type { JsonObject } from '../util/json/json.js'
import type { ObservedCall } from './assertions/assertion.js'
import type { TestCase, ToolReplacement } from './files/test-file.js'

/** The tools of one test: those that it replaces answer at once, others are reported, and called only where that is allowed. */
export class ReplacedTools implements ToolCaller {
  readonly calls: ObservedCall[] = []
  /** Ids of tools that were called and have no replacement. */
  readonly missing = new Set<string>()
  private readonly replacements: TestCase['tools']
  private readonly live: ToolCaller | undefined

  /** @param live calls tools that the test does not replace; undefined: none of them */
  constructor(replacements: TestCase['tools'], live: ToolCaller | undefined) {
    this.replacements = replacements
    this.live = live
  }

  async call(
    tool: ToolEntry,
    args: JsonObject,
    ...rest: readonly [Parameters<ToolCaller['call']>[2], Parameters<ToolCaller['call']>[3]]
  ): Promise<ToolOutcome> {
    const replacement = this.replacements.get(tool.id) ?? this.replacements.get(tool.functionName)
    if (replacement === undefined && this.live !== undefined) {
      const outcome = await this.live.call(tool, args, ...rest)
      this.calls.push({ tool: tool.id, arguments: outcome.arguments ?? args })
      return outcome
    }
    return this.answer(tool, args, replacement)
  }

  refuse({ definition }: ToolEntry, failure: ToolFailure): ToolOutcome {
    return refusedOutcome(failure, substituteFor(definition))
  }

  get status(): ToolCaller['status'] {
    return { inFlight: 0, breakers: [] }
  }

  /** Arguments are checked as for a call that is made. */
  private answer(tool: ToolEntry, given: JsonObject, replacement: ToolReplacement | undefined): ToolOutcome {
    const { id, definition } = tool
    const common = { durationMs: 0, arguments: given }
    const substituted = substituteFor(definition)
    try {
      const args = prepareArguments(definition.parameters, given)
      this.calls.push({ tool: id, arguments: args })
      if (replacement === undefined) this.missing.add(id)
      if (replacement !== undefined && 'result' in replacement)
        return {
          ...common,
          ok: true,
          value: replacement.result,
          cached: false,
          arguments: args,
          warnings: [],
        }
      const message = replacement?.error ?? 'the test does not replace it'
      return { ...common, ok: false, code: 'upstream_error', message, substituted, arguments: args }
    } catch (error) {
      const { code, message } = toToolFailure(error)
      this.calls.push({ tool: id, arguments: given })
      return { ...common, ok: false, code, message, substituted }
    }
  }
}
