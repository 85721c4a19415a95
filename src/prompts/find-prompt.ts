import { ServiceError } from '../errors.js'
import { assertReady } from '../registry/assert-ready.js'
import { placeInCatalog } from '../registry/place-in-catalog.js'
import type { Registry } from '../registry/registry.js'
import type { Diagnostic, PromptEntry, Snapshot } from '../registry/snapshot.js'
import { unknownPrompt } from './unknown-prompt.js'

/** A prompt and the snapshot it was found in: a request keeps both. */
export interface FoundPrompt {
  readonly snapshot: Snapshot
  readonly prompt: PromptEntry
}

/**
 * Finds a registered prompt; an unknown id makes the registry ask its store once.
 *
 * @throws ServiceError `not_ready`, `prompt_not_found`, and for a document that has no good version
 * `template_syntax` or `invalid_prompt`
 */
export function findPrompt(registry: Registry, id: string): FoundPrompt | Promise<FoundPrompt> {
  const snapshot = registry.current
  const prompt = snapshot.prompts.get(id)
  if (prompt !== undefined) return { snapshot, prompt }
  assertReady(registry)
  return readThrough(registry, id)
}

async function readThrough(registry: Registry, id: string): Promise<FoundPrompt> {
  const snapshot = await registry.readThrough(id)
  const prompt = snapshot.prompts.get(id)
  if (prompt === undefined) throw brokenPrompt(snapshot, id) ?? unknownPrompt(snapshot, id)
  return { snapshot, prompt }
}

function brokenPrompt({ diagnostics }: Snapshot, id: string): ServiceError | undefined {
  const broken = diagnostics.find(
    (diagnostic) => diagnostic.severity === 'error' && promptOf(diagnostic) === id,
  )
  if (broken === undefined) return undefined
  const code = broken.code === 'template_syntax' ? broken.code : 'invalid_prompt'
  const { message, line, column, hint } = broken
  return new ServiceError(code, message, {
    param: 'id',
    details: {
      location: placeInCatalog(broken),
      code: broken.code,
      line,
      column,
      ...(hint === undefined ? {} : { hint }),
    },
  })
}

/** The prompt a diagnostic is about, be it registered directly or contributed by an extension. */
function promptOf({ kind, id, prompt }: Diagnostic): string | undefined {
  return kind === 'templates' ? id : prompt
}
