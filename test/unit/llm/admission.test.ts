import { describe, expect, it } from 'vitest'
import { createAdmission } from '../../../src/llm/admission.js'

const signal = new AbortController().signal
const limits = { maxConcurrent: 2, maxQueue: 1, queueTimeoutMs: 10_000 }

describe('Admission', () => {
  it('lets in as many as there are places, without a promise', () => {
    const admission = createAdmission(limits)
    expect([admission.enter(signal), admission.enter(signal)]).toEqual([undefined, undefined])
    expect(admission).toMatchObject({ active: 2, waiting: 0 })
  })

  it('hands a place over in turn', async () => {
    const admission = createAdmission({ ...limits, maxConcurrent: 1, maxQueue: 2 })
    const order: string[] = []
    admission.enter(signal)
    const first = admission.enter(signal)?.then(() => order.push('first'))
    const second = admission.enter(signal)?.then(() => order.push('second'))
    admission.leave()
    await first
    admission.leave()
    await second
    expect(order).toEqual(['first', 'second'])
    expect(admission).toMatchObject({ active: 1, waiting: 0 })
    admission.leave()
    expect(admission.active).toBe(0)
  })

  it('refuses at once when the queue is full', () => {
    const admission = createAdmission({ ...limits, maxConcurrent: 1, maxQueue: 0 })
    admission.enter(signal)
    expect(() => admission.enter(signal)).toThrow(
      expect.objectContaining({ code: 'overloaded', status: 503, headers: { 'retry-after': '1' } }),
    )
  })

  it('forgets who gave up waiting', async () => {
    const admission = createAdmission({ ...limits, maxConcurrent: 1, queueTimeoutMs: 5 })
    admission.enter(signal)
    const controller = new AbortController()
    const gone = admission.enter(controller.signal)
    controller.abort(new Error('gone'))
    await expect(gone).rejects.toThrow('gone')
    await expect(admission.enter(signal)).rejects.toMatchObject({ code: 'overloaded' })
    expect(admission).toMatchObject({ active: 1, waiting: 0 })
    admission.leave()
    expect(admission.active).toBe(0)
  })
})
