import type { RecordAddress } from '../../state/state-store.js'

/** Looks from time to time whether the turns that are followed here still have somebody who runs them. */
export class RunWatch {
  readonly #check: (address: RecordAddress) => Promise<void>
  readonly #everyMs: number
  /** Followers by session: one look for all of them. */
  readonly #watched = new Map<string, { followers: number; readonly timer: NodeJS.Timeout }>()

  constructor(check: (address: RecordAddress) => Promise<void>, everyMs: number) {
    this.#check = check
    this.#everyMs = everyMs
  }

  /** @returns ends the watch of this follower; due once */
  add(address: RecordAddress): () => void {
    // Of one name, other owners have other sessions.
    const name = `${address.owner ?? ''} ${address.id}`
    const known = this.#watched.get(name)
    const watched = known ?? { followers: 0, timer: this.#start(address) }
    watched.followers += 1
    if (known === undefined) this.#watched.set(name, watched)
    return () => {
      watched.followers -= 1
      if (watched.followers > 0) return
      clearInterval(watched.timer)
      this.#watched.delete(name)
    }
  }

  #start(address: RecordAddress): NodeJS.Timeout {
    // A store that is away for now is asked again.
    return setInterval(() => void this.#check(address).catch(() => {}), this.#everyMs).unref()
  }
}
