import type { OptionNames } from '../util/errors/known-options.js'

/** How a task is carried out. The wire has these names in snake_case. */
export interface TaskConfig {
  readonly maxReflectionRounds: number
  readonly taskTimeoutSecs: number
  /** Without it a task ends after its first evaluation. */
  readonly enableAutoReflection: boolean
  /** Overall score, 0 to 100, from which a successful round is good enough. */
  readonly successThreshold: number
  /** Whether a model is asked what to change before a step is tried again. */
  readonly enableStepLevelReflection: boolean
  readonly maxStepRetries: number
  /** How many more plans a round may ask for when one is unreadable or refused. */
  readonly maxTaskReplanningAttempts: number
  readonly maxConsecutiveFailures: number
  /** Whether a high correctness counts only where everything succeeded. */
  readonly requireSuccess: boolean
}

export const DEFAULT_TASK_CONFIG: TaskConfig = Object.freeze({
  maxReflectionRounds: 5,
  taskTimeoutSecs: 3600,
  enableAutoReflection: true,
  successThreshold: 80,
  enableStepLevelReflection: true,
  maxStepRetries: 3,
  maxTaskReplanningAttempts: 1,
  maxConsecutiveFailures: 3,
  requireSuccess: false,
})

/** Every name that a configuration may have. */
export const TASK_CONFIG_NAMES: OptionNames<TaskConfig> = {
  ...{ maxReflectionRounds: true, taskTimeoutSecs: true, enableAutoReflection: true, successThreshold: true },
  ...{ enableStepLevelReflection: true, maxStepRetries: true, maxTaskReplanningAttempts: true },
  ...{ maxConsecutiveFailures: true, requireSuccess: true },
}
