import type { ToolCall } from '../conversation/tool-calls.js'
import { ServiceError } from '../errors.js'
import type { Completion } from '../llm/model.js'
import type { ToolOutcome } from '../tools/tool.js'
import { getOrCreate } from '../util/get-or-create.js'
import type { JsonObject } from '../util/json/json.js'

/** The moments at which an application may look on, change something or say no. */
const HOOK_EVENTS = [
  'preRequest',
  'postRequest',
  'onRetry',
  'onError',
  'preTool',
  'postTool',
  'onTurnStart',
  'onTurnEnd',
  'onPlanStepComplete',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** The context of a hook call; which fields are set depends on the event. */
export interface HookContext {
  readonly event: HookEvent
  /** The model request, of `preRequest`, `postRequest`, `onRetry`, `onError`. */
  readonly request?: JsonObject
  /** The model's answer, of `postRequest`. */
  readonly response?: Completion['body']
  /** Of `onRetry`, `onError`, and of `onTurnEnd` when the turn failed. */
  readonly error?: unknown
  /** Of `onRetry`: which attempt failed, from 1. */
  readonly attempt?: number
  /** Of a session's turns, from 0. */
  readonly turnIndex?: number
  /** Of `onPlanStepComplete`, from 0. */
  readonly planStepIndex?: number
  /** Of `preTool` and `postTool`. */
  readonly call?: ToolCall
  /** Of `postTool`. */
  readonly outcome?: ToolOutcome
}

/** Nothing lets it pass; a reason stops it; a patch is laid over what is about to be used. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks on returns nothing
export type HookResult = void | { readonly block: string } | { readonly patch: JsonObject }
export type Hook = (context: HookContext) => HookResult | Promise<HookResult>

/** Says yes. */
export const allow = (): HookResult => undefined
/** Says no, and why. */
export const block = (reason: string): HookResult => ({ block: reason })
/** Changes fields of the request, the arguments or the result. */
export const patch = (changes: JsonObject): HookResult => ({ patch: changes })

/** What all hooks of one event said together. */
export interface HookVerdict {
  /** The reason of the first that said no. */
  readonly blocked: string | undefined
  /** All patches, later ones over earlier. */
  readonly patch: JsonObject | undefined
}

const NOTHING_SAID: HookVerdict = Object.freeze({ blocked: undefined, patch: undefined })

/** Called for a hook that threw: the run continues as if the hook had returned nothing. */
export type HookFailureObserver = (event: HookEvent, error: unknown) => void

/** Holds hooks by event and asks them in the order they came. */
export class HookExecutor {
  readonly #hooks = new Map<HookEvent, Hook[]>()
  readonly #onFailure: HookFailureObserver

  constructor(onFailure: HookFailureObserver = () => {}) {
    this.#onFailure = onFailure
  }

  /** True while no hook is registered. */
  get isEmpty(): boolean {
    return this.#hooks.size === 0
  }

  /** @throws ServiceError `invalid_config` for an event that does not exist, and for what is not a function */
  register(event: HookEvent, hook: Hook): this {
    if (!HOOK_EVENTS.includes(event))
      throw new ServiceError(
        'invalid_config',
        `Unknown hook event "${event}". Events: ${HOOK_EVENTS.join(', ')}`,
      )
    if (typeof hook !== 'function')
      throw new ServiceError('invalid_config', `The hook of ${event} is not a function: pass (context) => …`)
    getOrCreate(this.#hooks, event, () => []).push(hook)
    return this
  }

  /** Whether anybody listens, so that a context need not be made for nobody. */
  has(event: HookEvent): boolean {
    return this.#hooks.has(event)
  }

  /** Asks every hook of the event until one says no. Never rejects: a hook that throws is reported and passed over. */
  async execute(context: HookContext): Promise<HookVerdict> {
    const hooks = this.#hooks.get(context.event)
    if (hooks === undefined) return NOTHING_SAID
    let patched: JsonObject | undefined
    for (const hook of hooks) {
      const said = await this.#ask(hook, context)
      if (said === undefined) continue
      if ('block' in said) return { blocked: said.block, patch: undefined }
      patched = { ...patched, ...said.patch }
    }
    return patched === undefined ? NOTHING_SAID : { blocked: undefined, patch: patched }
  }

  async #ask(hook: Hook, context: HookContext): Promise<Exclude<HookResult, void> | undefined> {
    try {
      return (await hook(context)) ?? undefined
    } catch (error) {
      this.#onFailure(context.event, error)
      return undefined
    }
  }
}
