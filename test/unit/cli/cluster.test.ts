import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FleetLink } from '../../../src/cli/cluster/fleet-link.js'
import { forwardLines } from '../../../src/cli/cluster/forward-lines.js'
import { countsOf, mergeMetrics } from '../../../src/cli/cluster/merge-metrics.js'
import { Questions } from '../../../src/cli/cluster/questions.js'
import { WorkerHandle } from '../../../src/cli/cluster/worker-handle.js'
import type { MetricFamily, Together } from '../../../src/util/telemetry/metric-family.js'

function gauge(together: Together, value: number, labels = {}): MetricFamily {
  return { name: 'g', help: '', type: 'gauge', together, samples: [{ labels, value }] }
}

function counter(name: string, samples: Readonly<Record<string, number>>, type = 'counter'): MetricFamily {
  const rows = Object.entries(samples).map(([route, value]) => ({ labels: { route }, value }))
  return { name, help: name, type, together: 'sum', samples: rows }
}

describe('metrics of several processes', () => {
  it.each<readonly [Together, readonly number[], number]>([
    ['sum', [1, 2, 4], 7],
    ['max', [1, 4, 2], 4],
    ['min', [2, 1, 4], 1],
    ['average', [1, 2, 6], 3],
    ['first', [2, 1, 4], 2],
    // Of a process that began just now, and what becomes of it on its way.
    ['max', [Number.NaN, 1, null as never], 1],
    ['average', [Number.NaN, 4], 4],
    ['sum', [Number.NaN], 0],
  ])('%s of %j is %d', (together, values, expected) => {
    const [merged] = mergeMetrics(values.map((value) => [gauge(together, value)]))
    expect(merged?.samples).toEqual([{ labels: {}, value: expected }])
  })

  it('what is of no meaning for several is left out', () => {
    expect(mergeMetrics([[gauge('omit', 1)], [gauge('omit', 2)]])).toEqual([])
  })

  it('the latest event loop counts, whatever the rule', () => {
    const lag = (value: number) => [{ ...gauge('average', value), name: 'nodejs_eventloop_lag_p99_seconds' }]
    expect(mergeMetrics([lag(0.01), lag(0.5)])[0]?.samples[0]?.value).toBe(0.5)
  })

  it('series are added by name and labels, and those of one process stay', () => {
    const one = [counter('a', { '/x': 1, '/y': 2 }), counter('b', { '/x': 1 })]
    const two = [counter('c', { '/x': 5 }), counter('a', { '/y': 3, '/z': 4 })]
    expect(mergeMetrics([one, two])).toEqual([
      counter('a', { '/x': 1, '/y': 5, '/z': 4 }),
      counter('b', { '/x': 1 }),
      counter('c', { '/x': 5 }),
    ])
  })

  it('buckets, sums and counts of a histogram are series of their own', () => {
    const samples = (value: number) => [
      { name: 'h_bucket', labels: { le: '1' }, value },
      { name: 'h_bucket', labels: { le: '+Inf' }, value: 2 * value },
      { name: 'h_count', labels: {}, value: 2 * value },
    ]
    const histogram = (value: number) => ({ ...counter('h', {}, 'histogram'), samples: samples(value) })
    expect(mergeMetrics([[histogram(1)], [histogram(2)]])).toEqual([histogram(3)])
  })

  it('of one that ended, counts stay and states go', () => {
    const counts = [counter('a', { '/x': 1 }), counter('h', { '/x': 1 }, 'histogram')]
    expect(countsOf([...counts, gauge('sum', 1)])).toEqual(counts)
  })
})

describe('lines of several processes', () => {
  it('are passed on whole, and nothing is read while they are not out', async () => {
    const from = new PassThrough()
    const written: string[] = []
    let done = () => {}
    forwardLines(from, (bytes, written_) => {
      written.push(bytes.toString())
      done = written_
    })
    const say = async (text: string) => {
      from.write(text)
      await nextTurn()
    }
    await say('{"a":')
    expect(written).toEqual([])
    await say('1}\n{"b":2}\n{"c"')
    await say(':3}\n')
    expect(written).toEqual(['{"a":1}\n{"b":2}\n'])
    done()
    await nextTurn()
    expect(written).toEqual(['{"a":1}\n{"b":2}\n', '{"c":3}\n'])
  })
})

describe('questions', () => {
  it('are answered by number, and given up when nobody answers in time', async () => {
    const questions = new Questions<string>(20)
    const sent: number[] = []
    const [first, second] = [1, 2].map(() => questions.ask((id) => sent.push(id)))
    questions.answered(sent[1] as number, 'second')
    questions.answered(99, 'nobody asked')
    expect(await second).toBe('second')
    expect(await first).toBeUndefined()
    questions.answered(sent[0] as number, 'too late')
  })
})

describe('the channel between processes', () => {
  const GARBAGE = [
    null,
    1,
    'end',
    [],
    {},
    { kind: 1 },
    { kind: 'ended' },
    { kind: '__proto__' },
    { cmd: 'x', kind: '' },
  ]

  /** One end of it; what is said through it is kept. */
  class Channel extends EventEmitter {
    readonly process = new EventEmitter()
    readonly said: unknown[] = []
    isConnected = () => true
    send = (message: unknown) => this.said.push(message)
  }

  it('ends no worker for what somebody else says', async () => {
    const ends: string[] = []
    const channel = new Channel()
    const link = new FleetLink(channel as never, (why) => ends.push(why))
    const started = link.start()
    for (const message of GARBAGE) channel.emit('message', message)
    expect(ends).toEqual([])
    channel.emit('message', { kind: 'start', number: 2, othersServe: true })
    expect(await started).toMatchObject({ number: 2, othersServe: true })
    channel.emit('message', { kind: 'retire' })
    expect(ends).toEqual(['retire'])
  })

  it('takes nothing for a report that is none of ours', () => {
    const channel = new Channel()
    const handle = new WorkerHandle(channel as never, {
      number: 1,
      othersServe: false,
      onFleetWanted: () => {},
    })
    channel.emit('message', { kind: 'farewell', report: { status: 'mine', metrics: [] } })
    for (const message of GARBAGE) channel.emit('message', message)
    expect(handle.lastReport).toEqual({ status: 'mine', metrics: [] })
    expect(handle.isListening).toBe(false)
    expect(channel.said).toEqual([])
  })
})
