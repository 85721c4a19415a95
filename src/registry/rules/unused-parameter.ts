import type { PromptEntry, Snapshot } from '../snapshot.js'
import { declaredVariables, REQUEST_ENTRIES } from './declared.js'
import type { PromptRule, RuleScope } from './rule.js'

/** A declared variable that no template reads. */
export const unusedParameter: PromptRule = function* (prompt, scope) {
  const declared = declaredVariables(prompt.definition)
  if (declared === undefined) return
  const read = namesRead(prompt, scope)
  if (read === undefined) return
  const list = prompt.document['parameters']
  for (const name of Object.keys(declared)) {
    if (read.has(name)) continue
    yield {
      message: `parameters declares ${name}, and no template reads it`,
      hint: `print it with {{.variables.${name}}}, or leave it out`,
      place: { path: ['parameters', ...pathOf(list, name)] },
    }
  }
}

function pathOf(parameters: unknown, name: string): readonly (string | number)[] {
  if (!Array.isArray(parameters)) return ['properties', name]
  return [parameters.findIndex((entry: { readonly name?: unknown } | null) => entry?.name === name)]
}

/** The variables that a prompt and the templates it calls may read; undefined where that can be any. */
function namesRead(prompt: PromptEntry, scope: RuleScope): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  const seen = new Set<PromptEntry>()
  const waiting = [prompt]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (const { usage } of scope.usageOf(next)) {
      if (!usage.isComplete) return undefined
      for (const { path } of usage.reads) for (const name of namesOf(path, next === prompt)) names.add(name)
      const called = usage.partials.map(({ name }) => partialOf(scope.snapshot, name))
      if (called.includes(undefined)) return undefined
      waiting.push(...called.filter((each) => each !== undefined))
    }
  }
  return names
}

/** A template that is called may get the variables themselves as its dot. */
function namesOf([first, second]: readonly string[], isCaller: boolean): readonly string[] {
  const isOwn = first !== undefined && REQUEST_ENTRIES.has(first)
  return [isOwn ? second : isCaller ? undefined : first].filter((name) => name !== undefined)
}

function partialOf({ prompts }: Snapshot, name: string): PromptEntry | undefined {
  const found = prompts.get(name)
  return found?.definition.body.kind === 'prompt' ? found : undefined
}
