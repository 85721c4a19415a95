import { describe, expect, it } from 'vitest'
import { RECORDED, VariableRecorder } from '../../../src/prompts/recorded-variables.js'
import type { RenderRequest } from '../../../src/prompts/render-request.js'
import type { ToolEntry } from '../../../src/registry/snapshot.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'
import { STATE_BACKENDS } from '../../support/state-backends.js'

const openRecorder = () =>
  new VariableRecorder({ perPrompt: 5, share: 1, ttlMs: 1_000, now: () => 1, onLost() {} })

function requestOf(id: string, variables: JsonObject, tools = 1): RenderRequest {
  return {
    prompt: { id, revision: '1' },
    definition: { parameters: { properties: { pin: { writeOnly: true } } } },
    snapshot: { tools: { size: tools } },
    variables,
    isNew: true,
  } as unknown as RenderRequest
}

/** What is kept of one render whose tool answered with each of the results. */
async function kept(variables: JsonObject, results: readonly JsonValue[], tools = 1) {
  const backend = await STATE_BACKENDS.memory()
  const state = await backend.open()
  const recorder = openRecorder()
  recorder.keepIn(state.items(RECORDED))
  const request = requestOf('a.b', variables, tools)
  const noted = recorder.record(request)
  for (const result of results) noted.tools?.onResult?.({ id: 'a.tool' } as ToolEntry, ['x'], result)
  const early = await recorder.read('a.b')
  recorder.ended(noted)
  const sets = await recorder.read('a.b')
  await recorder.close()
  await backend.stop()
  return { isSame: noted === request, early, sets }
}

describe('recorded variables', () => {
  it('come with what tools answered', async () => {
    const { early, sets } = await kept({ name: 'Ada' }, [['one'], 'two'])
    // Not before the render is done: a tool may answer after sets are written.
    expect(early).toEqual([])
    expect(sets).toMatchObject([
      {
        variables: { name: 'Ada' },
        calls: [
          { tool: 'a.tool', arguments: ['x'], result: ['one'] },
          { tool: 'a.tool', arguments: ['x'], result: 'two' },
        ],
      },
    ])
  })

  it('come without it where a secret was among them, and where it is too long', async () => {
    expect((await kept({ pin: '1234' }, ['says 1234'])).sets).toMatchObject([
      { variables: { pin: '***' }, calls: [] },
    ])
    expect((await kept({ name: 'Ada' }, ['x'.repeat(20_000)])).sets).toMatchObject([{ calls: [] }])
    expect((await kept({ name: 'x'.repeat(20_000) }, [])).sets).toEqual([])
  })

  it('leave a request as it is where there are no tools', async () => {
    expect((await kept({ name: 'Ada' }, [], 0)).isSame).toBe(true)
  })

  it('are written once when their render ends while others are written', async () => {
    const backend = await STATE_BACKENDS.memory()
    const items = (await backend.open()).items(RECORDED)
    const recorder = openRecorder()
    recorder.keepIn(items)
    recorder.record(requestOf('a.first', { name: 'Bob' }, 0))
    const noted = recorder.record(requestOf('a.second', { name: 'Ada' }))
    const put = items.put.bind(items)
    items.put = async (...parameters) => {
      await put(...parameters)
      recorder.ended(noted)
    }
    await recorder.flush()
    expect(await recorder.read('a.second')).toHaveLength(1)
    await recorder.close()
    await backend.stop()
  })
})
