import type { Snapshot } from '../registry/snapshot.js'
import { counted } from '../util/text/counted.js'

/** How many documents of each kind a catalog has, such as `0 extensions, 3 prompts, …`; without the prompts of the package. */
export function catalogSizes(snapshot: Snapshot): string {
  return sizesOf(snapshot)
    .filter(([size, kind]) => size > 0 || kind !== 'agent')
    .map(([size, kind]) => counted(size, kind))
    .join(', ')
}

/** Only the kinds that there are, such as `3 prompts, 1 environ`. */
export function catalogContents(snapshot: Snapshot): string {
  const sizes = sizesOf(snapshot).filter(([size]) => size > 0)
  return sizes.length === 0 ? 'no documents' : sizes.map(([size, kind]) => counted(size, kind)).join(', ')
}

function sizesOf({
  prompts,
  extensions,
  environs,
  tools,
  agents,
}: Snapshot): readonly (readonly [number, string])[] {
  return [
    [extensions.size, 'extension'],
    [ownPrompts(prompts), 'prompt'],
    [environs.size, 'environ'],
    [tools.size, 'tool'],
    [agents.size, 'agent'],
  ]
}

function ownPrompts(prompts: Snapshot['prompts']): number {
  let count = 0
  for (const [, { origin }] of prompts) if (origin !== 'bundled') count += 1
  return count
}
