import type { RecordAddress } from '../../state/contract/record-state.js'

/** Looked at a little later than a lease ends: by then it is over by the store's time, too. */
const AFTER_THE_LEASE_MS = 20

/** One session that is followed, however many followers it has. */
interface Watched {
  followers: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Checks whether the turns that are followed here still have a process that runs them: when the lease seen at the last
 * check would expire, and at intervals if there is no lease.
 */
export class RunWatch {
  readonly #check: (address: RecordAddress) => Promise<number>
  readonly #everyMs: number
  readonly #watched = new Map<string, Watched>()

  /** @param check resolves with how long the lease still holds, in milliseconds; 0 where nobody has one */
  constructor(check: (address: RecordAddress) => Promise<number>, everyMs: number) {
    this.#check = check
    this.#everyMs = everyMs
  }

  /**
   * @param leasedForMs how long the lease still holds, as far as that is known
   * @returns ends the watch of this follower; due once
   */
  add(address: RecordAddress, leasedForMs = 0): () => void {
    const name = nameOf(address)
    const watched = this.#watched.get(name) ?? this.#start(address, leasedForMs)
    watched.followers += 1
    return () => {
      watched.followers -= 1
      if (watched.followers > 0) return
      clearTimeout(watched.timer)
      this.#watched.delete(name)
    }
  }

  #start(address: RecordAddress, leasedForMs: number): Watched {
    const watched: Watched = { followers: 0, timer: undefined }
    this.#watched.set(nameOf(address), watched)
    this.#lookLater(address, watched, leasedForMs)
    return watched
  }

  #lookLater(address: RecordAddress, watched: Watched, leasedForMs: number): void {
    const waitMs = leasedForMs > 0 ? leasedForMs + AFTER_THE_LEASE_MS : this.#everyMs
    watched.timer = setTimeout(() => void this.#look(address, watched), waitMs).unref()
  }

  async #look(address: RecordAddress, watched: Watched): Promise<void> {
    // A store that is away for now is asked again.
    const leasedForMs = await this.#check(address).catch(() => 0)
    if (watched.followers > 0) this.#lookLater(address, watched, leasedForMs)
  }
}

/** Of one name, other owners have other sessions. */
function nameOf({ owner = '', id }: RecordAddress): string {
  return `${owner} ${id}`
}
