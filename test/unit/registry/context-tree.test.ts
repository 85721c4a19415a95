import { describe, expect, it } from 'vitest'
import {
  type ContextChange,
  type ContextNode,
  contextObject,
  EMPTY_CONTEXT,
  updateContext,
} from '../../../src/registry/context-tree.js'
import { extendContext } from '../../../src/registry/extended-context.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'
import { sourceOfView } from '../../../src/util/json/map-view.js'
import { createRandom } from '../../support/random.js'
import { someRuns } from '../../support/some-runs.js'

const NAMES = ['a', 'b', 'c', '__proto__', 'constructor', 'd e']

function randomValue(below: (limit: number) => number): JsonValue {
  const values: readonly JsonValue[] = [
    1,
    'x',
    null,
    [1, 2],
    { a: 1 },
    { b: { c: 2 } },
    JSON.parse('{"__proto__":1}'),
  ]
  return values[below(values.length)] as JsonValue
}

function build(environs: ReadonlyMap<string, ContextChange>): JsonObject {
  return contextObject(updateContext(EMPTY_CONTEXT, [...environs.values()], () => {}))
}

/** Every entry as an own property, whatever its name. */
function plain(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.entries(value)
    .map(([name, item]) => [name, plain(item)])
    .sort()
}

describe('the context tree', () => {
  it('changed step by step equals the one built at once', () => {
    const { below } = createRandom(3)
    let root: ContextNode = EMPTY_CONTEXT
    const environs = new Map<string, ContextChange>()
    for (let step = 0; step < someRuns(600); step += 1) {
      const changes: ContextChange[] = []
      for (let count = 1 + below(4); count > 0; count -= 1) {
        const path = Array.from({ length: 1 + below(3) }, () => NAMES[below(NAMES.length)] as string)
        const change = { path, value: below(3) === 0 ? undefined : randomValue(below) }
        changes.push(change)
        if (change.value === undefined) environs.delete(path.join(':'))
        else environs.set(path.join(':'), change)
      }
      root = updateContext(root, changes, () => {})
      expect(plain(contextObject(root)), `step ${step}`).toEqual(plain(build(environs)))
    }
  })

  it('is the same with large directories, across the size where they become views', () => {
    const { below } = createRandom(4)
    let root: ContextNode = EMPTY_CONTEXT
    const environs = new Map<string, ContextChange>()
    for (let step = 0; step < 60; step += 1) {
      const changes: ContextChange[] = []
      const removing = step % 20 > 12
      for (let count = 0; count < 60; count += 1) {
        const path = ['dir', `k${below(400)}`]
        const change = { path, value: removing ? undefined : randomValue(below) }
        changes.push(change)
        if (change.value === undefined) environs.delete(path.join(':'))
        else environs.set(path.join(':'), change)
      }
      root = updateContext(root, changes, () => {})
      expect(plain(contextObject(root)), `step ${step}`).toEqual(plain(build(environs)))
    }
  })

  it('does not touch what was given out before', () => {
    const first = updateContext(EMPTY_CONTEXT, [{ path: ['a', 'b'], value: 1 }], () => {})
    const before = contextObject(first)
    updateContext(
      first,
      [
        { path: ['a', 'b'], value: 2 },
        { path: ['a', 'c'], value: 3 },
      ],
      () => {},
    )
    expect(before).toEqual({ a: { b: 1 } })
  })

  it('shares the directories that a change does not pass', () => {
    const first = updateContext(
      EMPTY_CONTEXT,
      [
        { path: ['a', 'x'], value: 1 },
        { path: ['b', 'x'], value: 1 },
      ],
      () => {},
    )
    const second = updateContext(first, [{ path: ['a', 'x'], value: 2 }], () => {})
    expect(contextObject(second)['b']).toBe(contextObject(first)['b'])
  })
})

describe('a context with further entries', () => {
  it.each([3, 1000])('hides those of %i environs', (count) => {
    const changes = Array.from({ length: count }, (_, index) => ({ path: [`k${index}`], value: index }))
    const context = contextObject(updateContext(EMPTY_CONTEXT, changes, () => {}))
    const extended = extendContext(context, { k1: 'mine', variables: { a: 1 } })
    expect(extended['k0']).toBe(0)
    expect(extended['k1']).toBe('mine')
    expect(Object.keys(extended)).toHaveLength(count + 1)
    expect(Object.hasOwn(extended, 'toString')).toBe(false)
    expect(context['k1']).toBe(1)
  })

  it('is noted nowhere: one is made for every render', () => {
    const changes = Array.from({ length: 1000 }, (_, index) => ({ path: [`k${index}`], value: index }))
    const context = contextObject(updateContext(EMPTY_CONTEXT, changes, () => {}))
    expect(sourceOfView(context)).toBeDefined()
    expect(sourceOfView(extendContext(context, {}))).toBeUndefined()
  })
})
