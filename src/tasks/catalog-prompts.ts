import type { Message } from '../conversation/message.js'
import type { InlinePrompt } from '../prompts/inline-prompt.js'
import type { Renderer } from '../prompts/render.js'
import type { Registry } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json.js'
import { createBuiltInPrompts, PLANNER_PROMPTS, type PlannerPrompts } from './planner-prompts.js'

export interface CatalogPromptsDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  /** @throws ServiceError invalid_prompt, TemplateError */
  readonly compileInline: (snapshot: Snapshot, document: JsonObject) => InlinePrompt | Promise<InlinePrompt>
}

/** The `planner.*` documents that the catalog has now, by name: what a task that begins keeps to. */
export function pinPrompts({ current }: Registry): JsonObject {
  return Object.fromEntries(
    PLANNER_PROMPTS.flatMap((name) => {
      const document = current.prompts.get(`planner.${name}`)?.document
      return document === undefined ? [] : [[name, document] as const]
    }),
  )
}

/** Prompts of pinned documents, rendered as any prompt of the catalog is; what is not pinned is built in. */
export function catalogPrompts(
  { registry, renderer, compileInline }: CatalogPromptsDependencies,
  pinned: ReadonlyMap<string, JsonObject>,
  call: CallContext,
): PlannerPrompts {
  const builtIn = createBuiltInPrompts()
  return {
    async render(name, variables): Promise<readonly Message[]> {
      const document = pinned.get(name)
      if (document === undefined) return builtIn.render(name, variables)
      const snapshot = registry.current
      const rendered = await renderer.render({
        snapshot,
        ...(await compileInline(snapshot, document)),
        variables,
        call,
        isShared: true,
      })
      return rendered.kind === 'messages' ? rendered.messages : [{ role: 'user', content: rendered.text }]
    },
  }
}
