/** The end of something that may take only so long: a member of a ring of those that wait. */
export interface Deadline {
  readonly at: number
  readonly onOver: () => void
  previous: Deadline
  next: Deadline
}

/** Deadlines of equal length, which are over in the order in which they began. */
export interface Deadlines {
  readonly ms: number
  /** @param onOver called once when it is over, unless it was ended before */
  begin(onOver: () => void): Deadline
  /** Ends the wait. What is over, or was ended, stays so. */
  end(deadline: Deadline): void
}

/**
 * Deadlines that share one of Node's timers, which stays set between them: to set and clear one for each request takes more
 * than all else about it. Rows `0.5 KB` of `npm run bench:chat`. The timer does not keep the process alive.
 *
 * @param now monotonic milliseconds
 */
export function createDeadlines(ms: number, now: () => number): Deadlines {
  /** When the timer is due; 0 while it is not set. */
  let setFor = 0
  const end = new End()
  const set = (at: number) => {
    setFor = at
    setTimeout(look, Math.max(1, at - now())).unref()
  }
  const look = () => {
    // Only what it was set for: where the loop is late, other timers that were due before the next one come before it.
    const due = setFor
    setFor = 0
    try {
      for (let first = end.next; first.at <= due; first = end.next) {
        leave(first)
        first.onOver()
      }
    } finally {
      if (end.next !== end && setFor === 0) set(end.next.at)
    }
  }
  return {
    ms,
    begin(onOver) {
      const deadline = { at: now() + ms, onOver, previous: end.previous, next: end }
      join(end.previous, deadline)
      join(deadline, end)
      if (setFor === 0) set(deadline.at)
      return deadline
    },
    end: leave,
  }
}

/** Stands between the last one and the first. */
class End implements Deadline {
  readonly at = Number.POSITIVE_INFINITY
  previous: Deadline = this
  next: Deadline = this
  onOver(): void {}
}

function leave(deadline: Deadline): void {
  join(deadline.previous, deadline.next)
  join(deadline, deadline)
}

function join(one: Deadline, other: Deadline): void {
  one.next = other
  other.previous = one
}
