import { useSignal, useSignalEffect } from '@preact/signals'
import type { Kind } from '../api/shapes.js'
import { useShell } from '../shell.js'

/** Changes whenever this document of the catalog may have changed. */
export function useVersion(kind: Kind, id: string): number {
  const { catalog } = useShell()
  const version = useSignal(catalog.version.peek())
  useSignalEffect(() => {
    const newest = catalog.version.value
    const changed = catalog.changed.peek()
    if (changed.size === 0 || changed.has(`${kind} ${id}`)) version.value = newest
  })
  return version.value
}
