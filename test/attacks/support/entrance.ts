import type { AttackedService } from './attack.js'

/** One way into the service, for the full run and the soak. */
export interface Entrance {
  readonly name: string
  /** Starts the service with all that belongs to it. */
  open(): Promise<OpenEntrance>
}

/** An entrance whose service runs. */
export interface OpenEntrance {
  readonly service: AttackedService
  readonly rows: readonly EntranceRow[]
  /** The exit code of the service. */
  close(): Promise<number | null>
}

/** One attack through it. */
export interface EntranceRow {
  readonly name: string
  /** Done before each attack, and not measured. */
  readonly prepare?: () => Promise<unknown>
  /** It leaves what belongs there, such as documents: memory is compared with after the first attack, not with before it. */
  readonly leavesMuch?: boolean
  /** A circuit breaker is what answers it. Of other rows that would be no measurement. */
  readonly isAboutBreaker?: boolean
  /** The longest turn of the loop that it may cause, in milliseconds, in place of the usual bounds. */
  readonly longestMs?: number
  /** Done after all attacks, before the memory is looked at: takes away what the service keeps because it should. */
  readonly tidy?: () => Promise<void>
  /** Attacks once; what came back, in a word. @throws when it is wrong */
  attack(): Promise<string>
}
