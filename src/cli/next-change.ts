import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Registry } from '../registry/registry.js'

/** Changes within this many milliseconds count as one: editors write in several steps. */
const BURST_MS = 50

/** Resolves once the catalog changes, or a file in the folder of one of the files, other than the snapshots there. */
export async function nextChange(
  registry: Pick<Registry, 'subscribe'>,
  files: readonly string[],
): Promise<void> {
  const ends: (() => void)[] = []
  await new Promise<void>((resolve) => {
    const changed = () => void setTimeout(resolve, BURST_MS)
    ends.push(registry.subscribe(changed))
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      const watcher: FSWatcher = watch(folder, changed)
      ends.push(() => watcher.close())
    }
  })
  for (const end of ends) end()
}
