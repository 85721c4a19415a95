import { messageText } from '../conversation/message.js'
import { compileFound } from '../prompts/compile-found.js'
import { headIn } from '../prompts/find-prompt.js'
import type { Renderer } from '../prompts/render.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import { NOTHING_ASKED } from '../registry/choose.js'
import type { Registry } from '../registry/registry.js'
import type { CarriedPrompts, PromptEntry, Snapshot } from '../registry/snapshot.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'

/** What renders the prompts of agents. */
export interface AgentPromptDependencies {
  readonly registry: Pick<Registry, 'compiled' | 'scopeOf'>
  readonly renderer: Renderer
}

/** What prompts of one turn are rendered with. */
export interface AgentPromptScope {
  readonly snapshot: Snapshot
  readonly call: CallContext
  /** Prompts that a version of the agent carries. */
  readonly carried?: CarriedPrompts | undefined
}

/** Prompts of the catalog that take the place of the loop's own texts, where they are there. */
export const AGENT_PROMPTS = { system: 'agent.system', final: 'agent.final', note: 'agent.note' } as const

/** Renders the prompts that agents are made of. */
export class AgentPrompts {
  readonly #dependencies: AgentPromptDependencies
  readonly #scope: AgentPromptScope

  constructor(dependencies: AgentPromptDependencies, scope: AgentPromptScope) {
    this.#dependencies = dependencies
    this.#scope = scope
  }

  /** Renders a prompt of the catalog as one text; undefined for an unknown id. @throws ServiceError, TemplateError */
  async named(id: string, variables: JsonObject): Promise<string | undefined> {
    const prompt = this.find(id)
    return prompt && this.text(prompt, variables)
  }

  /** A prompt by its id, which may name a version or a label; what the agent carries comes first. */
  find(id: string): PromptEntry | undefined {
    const { snapshot, carried } = this.#scope
    return carried?.get(id) ?? this.#dependencies.registry.scopeOf(NOTHING_ASKED).find(snapshot, id)
  }

  /** A prompt as one text. @throws ServiceError, TemplateError */
  async text(prompt: PromptEntry, variables: JsonObject): Promise<string> {
    const { snapshot, call } = this.#scope
    const { registry, renderer } = this.#dependencies
    const rendered = await renderer.render({
      ...compileFound(registry, headIn(snapshot, prompt, registry.scopeOf(NOTHING_ASKED))),
      variables,
      call,
      isShared: true,
    })
    return textOf(rendered)
  }
}

/** Of a prompt with messages what its system messages say; of one without any, all that is said. */
function textOf(rendered: RenderedPrompt): string {
  if (rendered.kind === 'prompt') return rendered.text
  const { messages } = rendered
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  return (system.length === 0 ? messages : system).map(messageText).join('\n\n')
}
