/** A signal, when it comes, and what standard output is by then. Each ends the service with 0. */
export interface SignalRow {
  readonly name: string
  readonly signal: NodeJS.Signals
  readonly when: 'launched' | 'ready' | 'rendering'
  readonly stdout: 'read' | 'unread' | 'full'
  /** Takes long: only in the full run. */
  readonly isSlow?: boolean
}

/** Ends of a service. */
export const SIGNALS: readonly SignalRow[] = [
  { name: 'SIGTERM while it serves', signal: 'SIGTERM', when: 'ready', stdout: 'read', isSlow: true },
  { name: 'SIGINT while it serves', signal: 'SIGINT', when: 'ready', stdout: 'read', isSlow: true },
  { name: 'SIGTERM with a full disk', signal: 'SIGTERM', when: 'rendering', stdout: 'full' },
  { name: 'SIGTERM with an unread log', signal: 'SIGTERM', when: 'rendering', stdout: 'unread' },
  { name: 'SIGTERM while it renders', signal: 'SIGTERM', when: 'rendering', stdout: 'read', isSlow: true },
]
