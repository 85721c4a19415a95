import type { Access } from '../access/access.js'
import { mayRead } from '../access/may-read.js'
import type { Snapshot, SnapshotMap } from '../registry/snapshot.js'
import { at } from '../util/at.js'
import { createSlicer } from '../util/slices/pause.js'
import { quoted } from '../util/text/quoted.js'
import { firstFrom } from '../util/text/sorted-names.js'
import { invalidParams } from './mcp-failure.js'
import { knownValues } from './prompt-arguments.js'

/** The protocol's bound. */
const MAX_VALUES = 100

/** What a client asks to have completed. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

/** Values that begin with what was typed. */
export type CompletionAnswer = {
  readonly values: string[]
  readonly total?: number
  readonly hasMore: boolean
}

/**
 * `completion/complete`: values a schema counts, ids of prompts, names of shared variables.
 *
 * @param inSlice does what the texts of the request may make long
 * @throws McpFailure
 */
export async function complete(
  snapshot: Snapshot,
  access: Access,
  reference: CompletionReference,
  argument: { readonly name: string; readonly value: string },
  inSlice: <Result>(work: () => Result) => Result,
): Promise<CompletionAnswer> {
  if (reference.type === 'ref/prompt')
    return inSlice(() => completeArgument(snapshot, access, reference.name, argument))
  if (reference.uri === 'prompt://{id}')
    return completeId(snapshot.prompts, argument.value, (id) => mayRead(access, 'templates', id))
  if (reference.uri === 'environ://{path}')
    return completeId(snapshot.environs, argument.value, (id) => mayRead(access, 'environs', id))
  throw invalidParams('invalid_request', `There is no resource template ${quoted(reference.uri)}`)
}

function completeArgument(
  { prompts }: Snapshot,
  access: Access,
  name: string,
  argument: { readonly name: string; readonly value: string },
): CompletionAnswer {
  const prompt = mayRead(access, 'templates', name) ? prompts.get(name) : undefined
  if (prompt === undefined) throw invalidParams('prompt_not_found', `No prompt has the id ${quoted(name)}`)
  const typed = argument.value.toLowerCase()
  const found = knownValues(prompt.definition.parameters, argument.name).filter((value) =>
    value.toLowerCase().startsWith(typed),
  )
  return { values: found.slice(0, MAX_VALUES), total: found.length, hasMore: found.length > MAX_VALUES }
}

/** Ids with a common beginning are adjacent in a sorted list; those the caller may not see are passed over, in turns. */
async function completeId(
  items: SnapshotMap<unknown>,
  beginning: string,
  maySee: (id: string) => boolean,
): Promise<CompletionAnswer> {
  const slicer = createSlicer()
  await items.prepareIds(slicer)
  const ids = items.ids()
  const values: string[] = []
  for (let index = firstFrom(ids, beginning); index < ids.length; index += 1) {
    const id = at(ids, index)
    if (!id.startsWith(beginning)) break
    if (values.length === MAX_VALUES && maySee(id)) return { values, hasMore: true }
    if (maySee(id)) values.push(id)
    const turn = slicer.turn()
    if (turn !== undefined) await turn
  }
  return { values, total: values.length, hasMore: false }
}
