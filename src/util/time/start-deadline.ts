/**
 * Calls back once this many milliseconds have passed and the sockets were looked at after that: where the loop was late, an
 * answer that came in time is read before anybody gives up on it.
 *
 * @returns ends the wait
 */
export function startDeadline(ms: number, onOver: () => void): () => void {
  let last: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    last = setImmediate(onOver)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(last)
  }
}
