import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** What was loaded, or why it was not. */
export interface Loaded<Value> {
  readonly value?: Value
  readonly error?: unknown
}

/** Loads something, and again whenever these change; what was there stays until then. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Signal<Loaded<Value>> {
  const loaded = useSignal<Loaded<Value>>({})
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    load(signal).then(
      (value) => {
        if (!signal.aborted) loaded.value = { value }
      },
      (error) => {
        if (!signal.aborted) loaded.value = { ...loaded.value, error }
      },
    )
    return () => controller.abort()
  }, inputs)
  return loaded
}
