import { useEffect } from 'preact/hooks'
import { useShell } from '../shell.js'
import { type Loaded, useLoaded } from './use-loaded.js'

/** Sessions and tasks announce no changes to a whole page: they are read this often while one is open. */
const EVERY_MS = 3_000

/** Keeps the lists of sessions and tasks as they are while a view of them is open. */
export function useActivity(...inputs: readonly unknown[]): Loaded<void> {
  const { activity } = useShell()
  const { load, approvals } = activity
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) load().catch(() => {})
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return useLoaded(load, [approvals.value, ...inputs]).value
}
