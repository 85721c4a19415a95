import type { Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ApiClient } from './api/client.js'
import type { Access } from './stores/access.js'
import type { Activity } from './stores/activity.js'
import type { Catalog } from './stores/catalog.js'
import type { Connection } from './stores/follow-changes.js'
import type { Route } from './stores/route.js'
import type { Settings } from './stores/settings.js'
import type { Work } from './stores/work.js'
import type { Say } from './texts/say.js'

/** What every part of the page may use. */
export interface Shell {
  readonly api: ApiClient
  readonly access: Access
  readonly activity: Activity
  readonly catalog: Catalog
  readonly settings: Settings
  readonly route: Signal<Route>
  readonly connection: Signal<Connection>
  readonly say: Say
  /** Whether the list of everything within reach is open. */
  readonly paletteOpen: Signal<boolean>
  /** Said to everybody for a moment, also aloud. */
  readonly notice: Signal<string>
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly today: () => number
  /** Kept for this tab. */
  readonly tab: Storage
  /** What was made in this tab. */
  readonly work: Work
}

export const ShellContext = createContext<Shell | undefined>(undefined)

/** The shell around a part. */
export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (shell === undefined) throw new Error('a part of the page stands outside its shell')
  return shell
}
