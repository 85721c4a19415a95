import { describe, expect, it } from 'vitest'
import { type Batches, BatchQueue, eachBatch, type TakeBatch } from '../../../src/transport/batch-queue.js'

function open() {
  const calls: string[] = []
  const queue = new BatchQueue({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    cancel: () => calls.push('cancel'),
  })
  return { queue, calls }
}

const text = (result: IteratorResult<Buffer>) => (result.done === true ? undefined : result.value.toString())

describe('BatchQueue', () => {
  it('hands over to a waiting reader, all of one read together', async () => {
    const { queue } = open()
    const read = queue.next()
    queue.push(Buffer.from('a'))
    queue.push(Buffer.from('b'))
    queue.flush()
    expect(text(await read)).toBe('ab')
    queue.flush()
  })

  it('joins what came between two reads, then ends', async () => {
    const { queue } = open()
    queue.push(Buffer.from('a'))
    queue.push(Buffer.from('b'))
    queue.end()
    expect(text(await queue.next())).toBe('ab')
    expect(text(await queue.next())).toBeUndefined()
    expect(text(await queue.next())).toBeUndefined()
  })

  it('fails after what was there', async () => {
    const { queue } = open()
    queue.push(Buffer.from('a'))
    queue.fail(new Error('broken'))
    queue.push(Buffer.from('late'))
    expect(text(await queue.next())).toBe('a')
    await expect(queue.next()).rejects.toThrow('broken')
    expect(text(await queue.next())).toBeUndefined()
  })

  it('fails and ends a waiting reader', async () => {
    const failing = open().queue
    const read = failing.next()
    failing.fail(new Error('broken'))
    await expect(read).rejects.toThrow('broken')
    const ending = open().queue
    const last = ending.next()
    ending.end()
    expect(text(await last)).toBeUndefined()
  })

  it('pauses its source above the mark, once, and resumes it when the reader caught up', async () => {
    const { queue, calls } = open()
    queue.push(Buffer.alloc(50_000))
    expect(calls).toEqual([])
    queue.push(Buffer.alloc(50_000))
    queue.push(Buffer.alloc(50_000))
    expect(calls).toEqual(['pause'])
    await queue.next()
    expect(calls).toEqual(['pause', 'resume'])
  })

  it('cancels its source when the reader leaves early, and only then', async () => {
    const early = open()
    for await (const _ of pushed(early.queue)) break
    expect(early.calls).toEqual(['cancel'])
    const late = open()
    late.queue.end()
    for await (const _ of late.queue);
    await late.queue.return()
    expect(late.calls).toEqual([])
  })
})

function pushed(queue: BatchQueue): BatchQueue {
  queue.push(Buffer.from('a'))
  return queue
}

describe('batches that are handed over', () => {
  /** A reader that is full once it has this text. */
  function reading(batches: Batches, fullAt?: string) {
    const taken: string[] = []
    let drain = () => {}
    const take: TakeBatch = (bytes) => {
      taken.push(bytes.toString())
      if (bytes.toString() !== fullAt) return undefined
      return new Promise((resolve) => {
        drain = resolve
      })
    }
    return { taken, done: eachBatch(batches, take), drain: () => drain() }
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('are those that came before, those that come together and those that come later', async () => {
    const { queue } = open()
    queue.push(Buffer.from('a'))
    queue.push(Buffer.from('b'))
    const { taken, done } = reading(queue)
    queue.push(Buffer.from('c'))
    queue.push(Buffer.from('d'))
    await turn()
    expect(taken).toEqual(['ab'])
    queue.flush()
    expect(taken).toEqual(['ab', 'cd'])
    queue.push(Buffer.from('e'))
    queue.end()
    await done
    expect(taken).toEqual(['ab', 'cd', 'e'])
  })

  it('wait for a reader that is full, and so does the end', async () => {
    const { queue, calls } = open()
    const { taken, done, drain } = reading(queue, 'a')
    queue.push(Buffer.from('a'))
    queue.flush()
    queue.push(Buffer.alloc(70_000, 'b'))
    queue.flush()
    queue.end()
    await turn()
    expect(taken).toEqual(['a'])
    expect(calls).toEqual(['pause'])
    drain()
    await done
    expect(taken.map(({ length }) => length)).toEqual([1, 70_000])
    expect(calls).toEqual(['pause', 'resume'])
  })

  it('fail after what was there, with the failure of their source or of their reader', async () => {
    const broken = open().queue
    const { taken, done } = reading(broken)
    broken.push(Buffer.from('a'))
    broken.fail(new Error('broken'))
    await expect(done).rejects.toThrow('broken')
    expect(taken).toEqual(['a'])
    const { queue } = open()
    const refused = eachBatch(queue, () => {
      throw new Error('refused')
    })
    queue.push(Buffer.from('a'))
    queue.flush()
    await expect(refused).rejects.toThrow('refused')
  })

  it('come from any other source, too', async () => {
    const { queue } = open()
    queue.push(Buffer.from('a'))
    queue.end()
    const plain = { next: () => queue.next(), [Symbol.asyncIterator]: () => plain }
    const { taken, done } = reading(plain)
    await done
    expect(taken).toEqual(['a'])
  })
})
