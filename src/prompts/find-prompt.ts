import { ServiceError } from '../errors.js'
import { assertReady } from '../registry/assert-ready.js'
import type { Registry } from '../registry/registry.js'
import type { Diagnostic, PromptEntry, Snapshot } from '../registry/snapshot.js'
import { didYouMean, nearNames } from '../util/near-names.js'

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
  const { kind, message, line, column, hint } = broken
  return new ServiceError(code, message, {
    param: 'id',
    // Its place in the catalog: where that is on this machine is nobody's business.
    details: {
      location: `${kind}/${broken.id}`,
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

function unknownPrompt(snapshot: Snapshot, id: string): ServiceError {
  const near = nearNames(id, snapshot.prompts.ids())
  const broken = brokenExtension(snapshot, id)
  const reason =
    broken === undefined ? didYouMean(near) : `: the extension ${broken.id} is broken, ${broken.message}`
  return new ServiceError('prompt_not_found', `No prompt has the id ${JSON.stringify(id)}${reason}`, {
    param: 'id',
    ...(near.length + (broken === undefined ? 0 : 1) > 0 ? { details: { near, ...placeOf(broken) } } : {}),
  })
}

/** The extension that would give the prompt, were it in order: what is broken is known by its key only. */
function brokenExtension({ diagnostics }: Snapshot, id: string): Diagnostic | undefined {
  return diagnostics.find(({ kind, severity, prompt, id: extension }) => {
    if (kind !== 'extensions' || severity !== 'error' || prompt !== undefined) return false
    return id.startsWith(`${extension}.`) || id.startsWith(`${extension.split('.').at(-1)}.`)
  })
}

function placeOf(broken: Diagnostic | undefined): object {
  if (broken === undefined) return {}
  const { kind, id, code, line, column } = broken
  return { broken: { kind, id, code, line, column } }
}
