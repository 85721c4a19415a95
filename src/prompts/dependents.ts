import type { AgentEntry, PromptEntry, Snapshot } from '../registry/snapshot.js'
import { templateFields } from '../registry/template-fields.js'
import type { DependentPrompt } from '../schema/proof-api.js'
import { readTemplateUsage, type TemplateUsage } from '../template/host.js'
import { createSlicer } from '../util/slices/pause.js'
import { runNow } from '../util/slices/sliced.js'
import { splitChoice } from '../versions/prompt-choice.js'

/** Something of the catalog that prompts may depend on. */
export interface Dependence {
  readonly kind: 'partial' | 'environ' | 'tool'
  /** Of a tool its function name. */
  readonly id: string
}

/** What reads or includes something, sorted by id. */
export interface Dependents {
  readonly prompts: readonly DependentPrompt[]
  /** Agents that open with such a prompt, or whose instructions read it themselves. */
  readonly agents: readonly string[]
}

/** Finds what depends on a part of the catalog, as far as the texts show it: nothing is rendered. */
export async function dependentsOf(snapshot: Snapshot, dependence: Dependence): Promise<Dependents> {
  const slicer = createSlicer()
  const direct = new Set<string>()
  const includedBy = new Map<string, string[]>()
  for (const [id, prompt] of snapshot.prompts) {
    const usages = usagesOf(prompt)
    if (usages.some((usage) => dependsOn(usage, dependence))) direct.add(id)
    for (const name of new Set(usages.flatMap(({ partials }) => partials.map((each) => bareId(each.name)))))
      includedBy.set(name, [...(includedBy.get(name) ?? []), id])
    await slicer.turn()
  }
  const all = reached(direct, includedBy)
  const agents: string[] = []
  for (const [id, agent] of snapshot.agents) {
    if (isDependent(agent, dependence, all)) agents.push(id)
    await slicer.turn()
  }
  return {
    prompts: [...all].sort().map((id) => ({ id, direct: direct.has(id) })),
    agents: agents.sort(),
  }
}

function usagesOf({ definition }: PromptEntry): readonly TemplateUsage[] {
  return templateFields(definition).flatMap(({ text }) => {
    if (!text.includes('{{')) return []
    try {
      return [runNow(readTemplateUsage(text, definition.engine))]
    } catch {
      // A text over a limit of ours does not serve.
      return []
    }
  })
}

function dependsOn({ partials, reads, calls }: TemplateUsage, { kind, id }: Dependence): boolean {
  if (kind === 'partial') return partials.some(({ name }) => bareId(name) === id)
  if (kind === 'tool') return calls.some(({ name }) => name === id)
  const path = id.split('.')
  return reads.some((read) => path.every((name, index) => (read.path[index] ?? name) === name))
}

function bareId(name: string): string {
  return splitChoice(name).id
}

function reached(
  direct: ReadonlySet<string>,
  includedBy: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(direct)
  // A set is gone through with what is added meanwhile.
  for (const id of all) for (const each of includedBy.get(id) ?? []) all.add(each)
  return all
}

function isDependent(
  { definition, instructions }: AgentEntry,
  dependence: Dependence,
  prompts: ReadonlySet<string>,
): boolean {
  const opening = definition.prompt === undefined ? undefined : bareId(definition.prompt)
  if (
    opening !== undefined &&
    (prompts.has(opening) || (dependence.kind === 'partial' && opening === dependence.id))
  )
    return true
  if (instructions === undefined) return false
  return usagesOf(instructions).some(
    (usage) => dependsOn(usage, dependence) || usage.partials.some(({ name }) => prompts.has(bareId(name))),
  )
}
