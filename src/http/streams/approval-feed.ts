import type { WireApproval } from '../../agents/cycle/turn-event.js'

/** What waits for one caller, as it changes. */
export interface ApprovalFeed {
  /**
   * Hands over what waits now, and again whenever that is something else, until the signal. Readers of one name share
   * one look at the state.
   *
   * @param name the same for callers that see the same
   */
  follow(name: string, read: ReadPending, listener: PendingListener, signal: AbortSignal): void
}

export type ReadPending = () => Promise<readonly WireApproval[]>
export type PendingListener = (pending: readonly WireApproval[]) => void

/** How often the state is read while a client follows. Processes do not notify each other of approvals. */
const EVERY_MS = 1_500

interface Shared {
  readonly listeners: Set<PendingListener>
  readonly timer: ReturnType<typeof setInterval>
  newest: { readonly text: string; readonly pending: readonly WireApproval[] } | undefined
}

/** Looks again and again, as long as somebody reads. */
export function createApprovalFeed(everyMs = EVERY_MS): ApprovalFeed {
  const shared = new Map<string, Shared>()

  function open(name: string, read: ReadPending): Shared {
    let isReading = false
    const look = async () => {
      if (isReading) return
      isReading = true
      // State that is out of reach is asked again: readers lose nothing but time.
      const pending = await read().catch(() => undefined)
      isReading = false
      if (pending !== undefined) put(feed, pending)
    }
    const feed: Shared = {
      listeners: new Set(),
      timer: setInterval(look, everyMs).unref(),
      newest: undefined,
    }
    shared.set(name, feed)
    void look()
    return feed
  }

  return {
    follow(name, read, listener, signal) {
      if (signal.aborted) return
      const feed = shared.get(name) ?? open(name, read)
      feed.listeners.add(listener)
      if (feed.newest !== undefined) listener(feed.newest.pending)
      const leave = () => {
        feed.listeners.delete(listener)
        if (feed.listeners.size > 0) return
        clearInterval(feed.timer)
        shared.delete(name)
      }
      signal.addEventListener('abort', leave, { once: true })
    },
  }
}

function put(feed: Shared, pending: readonly WireApproval[]): void {
  const text = JSON.stringify(pending)
  if (feed.newest?.text === text) return
  feed.newest = { text, pending }
  for (const listener of feed.listeners) listener(pending)
}
