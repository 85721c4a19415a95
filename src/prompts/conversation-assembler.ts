import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import type { Reach } from '../registry/reach.js'
import type { Registry } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import type { ComposeItem } from '../schema/compose.js'
import { andThen } from '../util/and-then.js'
import { endingBy } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { compileFound } from './compile-found.js'
import { type ComposedPrompt, composeMessages } from './compose-messages.js'
import { type FoundPrompt, findPrompt, type PromptAsked, realIdOf } from './find-prompt.js'
import type { CompileInline } from './inline-prompt.js'
import type { Renderer } from './render.js'
import type { RenderRequest } from './render-request.js'
import type { RenderWarning } from './tool-functions.js'

/** What to assemble, for whom. */
export interface ConversationRequest
  extends Pick<RenderRequest, 'variables' | 'scenario' | 'call' | 'isNew'> {
  readonly items: readonly ComposeItem[]
  /** A registered prompt that begins the conversation, before the items. */
  readonly lead?: FoundPrompt
  /** What it may name and bring; undefined for everything. */
  readonly reach?: Reach | undefined
  /** Which texts of registered prompts it gets. */
  readonly asked?: PromptAsked
}

/** An assembled conversation. */
export interface Conversation {
  readonly messages: readonly Message[]
  /** Tools that failed, in the order of the items. */
  readonly warnings: readonly RenderWarning[]
}

/** Assembles conversations from registered and inline prompts, under the limits of one render. */
export interface ConversationAssembler {
  /** @throws ServiceError as `composeMessages`, `findPrompt` and the renderer */
  assemble(request: ConversationRequest): Promise<Conversation>
}

export interface AssemblerDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  /** Reads and compiles a prompt that is written out. @throws ServiceError invalid_prompt, TemplateError */
  readonly compileInline: CompileInline
  /** For all prompts of a conversation together. */
  readonly timeoutMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Creates what assembles conversations. It holds no state. */
export function createConversationAssembler(dependencies: AssemblerDependencies): ConversationAssembler {
  const { registry, renderer, compileInline, timeoutMs, now } = dependencies
  return {
    async assemble({ items, lead, variables, scenario, call: caller, isNew = false, reach, asked }) {
      const call = endingBy(caller, now() + timeoutMs)
      const warnings: (readonly RenderWarning[])[] = []

      const render = (prompt: string | JsonObject, variables: JsonObject) =>
        renderResolved(() => resolve(prompt, reach, asked), variables)

      async function renderResolved(
        find: () => Resolved | Promise<Resolved>,
        variables: JsonObject,
      ): Promise<ComposedPrompt> {
        const place = warnings.push([]) - 1
        const rendered = await renderer.render({
          ...(await find()),
          scenario,
          call,
          isNew,
          variables,
          isShared: true,
        })
        warnings[place] = rendered.warnings
        return rendered
      }

      const messages = await composeMessages({
        items,
        variables,
        render,
        ...(lead !== undefined && {
          lead: () => renderResolved(() => compileFound(registry, lead), variables),
        }),
      })
      return { messages, warnings: warnings.flat() }
    },
  }

  function resolve(
    prompt: string | JsonObject,
    reach: Reach | undefined,
    asked: PromptAsked | undefined,
  ): Resolved | Promise<Resolved> {
    if (reach !== undefined) assertReached(reach, registry.current, prompt)
    if (typeof prompt !== 'string') {
      const snapshot = registry.current
      return andThen(compileInline(snapshot, prompt, reach), (inline) => ({ snapshot, ...inline }))
    }
    return andThen(findPrompt(registry, prompt, asked), (found) => compileFound(registry, found))
  }
}

/** @throws ServiceError `prompt_not_found`, as if it were not there; `forbidden` for a text */
function assertReached(reach: Reach, snapshot: Snapshot, prompt: string | JsonObject): void {
  const mayUse = (text: string) => reach.mayUse(realIdOf(snapshot, splitChoice(text).id))
  if (typeof prompt === 'string' ? mayUse(prompt) : reach.mayBringTexts) return
  throw typeof prompt === 'string'
    ? new ServiceError('prompt_not_found', `No prompt has the id ${JSON.stringify(prompt)}`, { param: 'id' })
    : new ServiceError('forbidden', 'The API key may not bring a prompt along: it needs the scope "inline"')
}

type Resolved = Pick<
  RenderRequest,
  'snapshot' | 'prompt' | 'served' | 'definition' | 'compiled' | 'notes' | 'reach'
>
