import { ServiceError } from '../errors.js'
import { breaksDocument } from '../registry/diagnostics.js'
import type { Diagnostic, Snapshot } from '../registry/snapshot.js'
import { didYouMean, nearNames } from '../util/errors/near-names.js'

/** The failure of a request for a prompt that is not there: with near ids, or the broken extension that would give it. */
export function unknownPrompt(snapshot: Snapshot, id: string): ServiceError {
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
  return diagnostics.find((diagnostic) => {
    const { kind, prompt, id: extension } = diagnostic
    if (kind !== 'extensions' || prompt !== undefined || !breaksDocument(diagnostic)) return false
    return id.startsWith(`${extension}.`) || id.startsWith(`${extension.split('.').at(-1)}.`)
  })
}

function placeOf(broken: Diagnostic | undefined): object {
  if (broken === undefined) return {}
  const { kind, id, code, line, column } = broken
  return { broken: { kind, id, code, line, column } }
}
