/** Milliseconds with three decimals, such as `1.042`: several times faster than printing a double. */
export function formatMilliseconds(durationMs: number): string {
  const microseconds = Math.round(durationMs * 1000)
  const rest = microseconds % 1000
  const padding = rest < 10 ? '00' : rest < 100 ? '0' : ''
  return `${(microseconds - rest) / 1000}.${padding}${rest}`
}
