import type { ChatModels } from '../agents/chat-models.js'
import type { AnsweringModel } from '../llm/model.js'
import type { Registry } from '../registry/registry.js'
import type { LeaseObserver } from '../state/lease-observer.js'
import type { StateStore } from '../state/state-store.js'
import type { Logger } from '../util/telemetry/logger.js'
import type { Clock } from '../util/time/clock.js'

/** What `RESPONSES_STORE` says: `auto` keeps what its request wants kept, `always` also what says nothing. */
export type KeepPolicy = 'auto' | 'always' | 'never'

/** What responses work with; its maker closes it. */
export interface ResponseRuntime {
  readonly store: StateStore
  readonly model: AnsweringModel
  /** Whether a model's upstream has the responses interface. */
  readonly supportsResponses: (model: string) => boolean
  /** Models that run tools, read calls in text, or are agents. */
  readonly models: ChatModels
  readonly registry: Registry
  readonly clock: Clock
  readonly policy: KeepPolicy
  /** How often it is looked whether a followed response still has somebody who runs it. */
  readonly leaseMs: number
  /** Whether another process continues the responses of one that is gone, where nothing was shown yet. */
  readonly continuesTurns: boolean
  readonly leases?: LeaseObserver | undefined
  readonly logger: Logger
}
