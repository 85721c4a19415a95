import { describe, expect, it, vi } from 'vitest'
import { Cancellation } from '../../../src/util/cancellation.js'

describe('Cancellation', () => {
  it('calls its listeners once, those that are still there', () => {
    const cancellation = new Cancellation()
    const [stays, leaves, late] = [vi.fn(), vi.fn(), vi.fn()]
    cancellation.addEventListener('abort', stays)
    cancellation.addEventListener('abort', leaves)
    cancellation.removeEventListener('abort', leaves)
    cancellation.abort('why')
    cancellation.abort('again')
    cancellation.addEventListener('abort', late)
    expect([stays, leaves, late].map((each) => each.mock.calls.length)).toEqual([1, 0, 0])
    expect([cancellation.aborted, cancellation.reason]).toEqual([true, 'why'])
  })

  it('has a native signal, made before the abort or after', () => {
    const [early, late] = [new Cancellation(), new Cancellation()]
    const { signal } = early
    early.abort('why')
    late.abort()
    expect([signal.aborted, signal.reason]).toEqual([true, 'why'])
    expect([late.signal.aborted, (late.signal.reason as Error).name]).toEqual([true, 'AbortError'])
  })

  it('makes an error only for who asks why, and one for all', () => {
    const cancellation = new Cancellation()
    const before = cancellation.reason
    cancellation.abort()
    const { reason } = asksWhy(cancellation)
    expect([before, String(reason)]).toEqual([undefined, 'AbortError: This operation was aborted'])
    expect((reason as Error).stack).toContain('asksWhy')
    expect([cancellation.reason === reason, cancellation.signal.reason === reason]).toEqual([true, true])
  })

  it('a listener that leaves while others are called disturbs nobody', () => {
    const cancellation = new Cancellation()
    const last = vi.fn()
    const first = () => cancellation.removeEventListener('abort', first)
    cancellation.addEventListener('abort', first)
    cancellation.addEventListener('abort', last)
    cancellation.abort()
    expect(last).toHaveBeenCalledOnce()
  })
})

function asksWhy(cancellation: Cancellation): { readonly reason: unknown } {
  return { reason: cancellation.reason }
}
