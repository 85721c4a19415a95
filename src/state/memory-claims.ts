import type { ClaimedKey, ClaimRequest } from './contract/record-state.js'
import { CLAIM_TTL_MS, MAX_CLAIMS } from './limits.js'
import { refused } from './state-errors.js'

/** What an idempotency key belongs to, and until when. */
interface Claim {
  readonly id: string
  readonly bodyHash: string
  readonly until: number
}

/** The idempotency keys that a process knows which keeps state in its memory: the newest ones, each for a day. */
export class MemoryClaims {
  readonly #claims = new Map<string, Claim>()

  /** As `StateStore.claim`. */
  claim({ owner, route, key, id, bodyHash }: ClaimRequest, now: number): ClaimedKey {
    const name = JSON.stringify([owner, route, key])
    const known = this.#claims.get(name)
    if (known === undefined || known.until <= now) {
      this.#claims.delete(name)
      this.#claims.set(name, { id, bodyHash, until: now + CLAIM_TTL_MS })
      const [oldest = name] = this.#claims.keys()
      if (this.#claims.size > MAX_CLAIMS) this.#claims.delete(oldest)
      return { id, fresh: true }
    }
    if (known.bodyHash !== bodyHash) throw refused('conflict', { kind: 'session', id: known.id })
    return { id: known.id, fresh: known.id === id }
  }

  forgetExpired(now: number): void {
    for (const [name, { until }] of this.#claims) if (until <= now) this.#claims.delete(name)
  }
}
