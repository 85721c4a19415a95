import { assertKnownOptions, type OptionNames } from '../util/errors/known-options.js'
import type { ContextSettings } from './cycle/cycle-setup.js'
import type { GuardSettings } from './guards/guard-settings.js'
import type { Limits } from './limits.js'

const LIMITS: OptionNames<Required<Limits>> = {
  ...{ maxTurns: true, maxToolTurns: true, maxCallsPerTurn: true, maxSteps: true },
  ...{ maxTokens: true, maxCost: true, maxMs: true },
}
const GUARDS: OptionNames<GuardSettings> = {
  ...{ format: true, refusal: true, duplicate: true, loop: true, repetition: true },
}
const CONTEXT: OptionNames<Required<ContextSettings>> = { window: true, keepToolResults: true, compact: true }

/** Options of a loop that are objects. */
export interface LoopOptions {
  readonly limits?: Partial<Limits> | undefined
  readonly guards?: Partial<GuardSettings> | undefined
  readonly context?: Partial<ContextSettings> | undefined
}

/** Refuses names in a loop's options that would do nothing. @throws ServiceError `invalid_config` */
export function assertLoopOptions({ limits, guards, context }: LoopOptions): void {
  if (limits !== undefined) assertKnownOptions('limits', limits, LIMITS)
  if (guards !== undefined) assertKnownOptions('guards', guards, GUARDS)
  if (context !== undefined) assertKnownOptions('context', context, CONTEXT)
}
