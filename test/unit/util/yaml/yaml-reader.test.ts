import { describe, expect, it, onTestFinished } from 'vitest'
import { YamlReader } from '../../../../src/util/yaml/yaml-reader.js'

describe('a reader of long YAML', () => {
  it('goes on with the next text after one that its thread had no memory for', async () => {
    const reader = new YamlReader(8)
    onTestFinished(() => reader.close())
    const [bomb, next] = await Promise.allSettled([
      reader.read(`[${'{a: [b, c]}, '.repeat(50_000)}1]`, 20),
      reader.read('a: 1', 20),
    ])
    expect(bomb).toMatchObject({ status: 'rejected', reason: { name: 'YamlError' } })
    expect(next).toEqual({ status: 'fulfilled', value: { json: '{"a":1}', notes: [] } })
  })

  it('starts another thread for who asks while the last one ends', async () => {
    const reader = new YamlReader()
    onTestFinished(() => reader.close())
    const first = reader.read('a: 1', 20)
    expect(await first).toEqual({ json: '{"a":1}', notes: [] })
    const closed = reader.close()
    expect(await reader.read('b: 2', 20)).toEqual({ json: '{"b":2}', notes: [] })
    await closed
  })
})
