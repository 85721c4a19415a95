import { findTool } from '../../registry/find-tool.js'
import type { Snapshot } from '../../registry/snapshot.js'
import { unknown } from './details.js'
import type { Entry, Shelf } from './shelf.js'

/** One document as the Go original shows it: as it was written, a prompt with where it comes from. @throws ServiceError */
export function legacyDetail<Item extends Entry>(snapshot: Snapshot, shelf: Shelf<Item>, id: string): object {
  const found = read(snapshot, shelf.kind, id)
  if (found === undefined) throw unknown(snapshot, shelf, id)
  return found
}

function read(snapshot: Snapshot, kind: string, id: string): object | undefined {
  if (kind === 'tools') return findTool(snapshot, id)?.document
  if (kind === 'extensions') return snapshot.extensions.get(id)?.document
  const prompt = snapshot.prompts.get(id)
  return prompt && { origin: prompt.origin, prompt: prompt.document }
}
