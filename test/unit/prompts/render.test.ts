import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.js'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { createRenderer } from '../../../src/prompts/render.js'
import type { RenderRequest } from '../../../src/prompts/render-request.js'
import { withVariables } from '../../../src/registry/extended-context.js'
import { normalisePrompt } from '../../../src/registry/normalise-prompt.js'
import type { CompiledPrompt } from '../../../src/registry/registry.js'
import { TemplateCache } from '../../../src/registry/template-cache.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import type { ToolCaller } from '../../../src/tools/tool.js'
import type { CallContext } from '../../../src/util/call-context.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { overloaded } from '../../../src/util/errors/overloaded.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { Turns } from '../../../src/util/slices/turns.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'

const NOW = 1_000_000
const engine = createTemplateEngine(100_000)
const snapshot = createSnapshot(
  documentsOf({
    'templates:asks': { userPrompt: '{{look_up "x"}}' },
    'templates:counts': { userPrompt: '{{range until 5000}}{{repeat 100 "x"}}{{end}}' },
    'templates:greets': { userPrompt: 'Hello' },
    'templates:is_long': { userPrompt: '{{range until 5000}}{{range until 200}}x{{end}}{{end}}' },
    'templates:fails_often': {
      // Every other one takes its time, or fails once its tool has answered.
      messages: Array.from({ length: 40 }, (_, index) => ({
        role: 'user',
        content:
          index % 2 === 0
            ? '{{range until 5000}}{{range until 20}}x{{end}}{{end}}'
            : '{{if look_up "x"}}{{index (list) 5}}{{end}}',
      })),
    },
    'templates:makes': {
      userPrompt: '{{range 10}}{{$x := repeat 50000 (repeat 40 "a")}}{{end}}{{look_up "x"}}',
    },
    'tools:look:up': { url: 'http://127.0.0.1:1/', parameters: [{ name: 'what', type: 'string' }] },
  }),
  engine,
)

/** A renderer, of a second's limit unless given, whose tools answer with what `answer` makes of their context. */
function open(answer: (call: CallContext) => Promise<string> = async () => 'found', timeoutMs = 1_000) {
  const contexts: CallContext[] = []
  const tools: ToolCaller = {
    call: async (_tool, args: JsonObject, context) => {
      contexts.push(context)
      const value = await answer(context)
      return { ok: true, value, cached: false, warnings: [], arguments: args, durationMs: 0 }
    },
    refuse: () => {
      throw new Error('refused')
    },
    status: { inFlight: 0, breakers: [] },
  }
  let now = 0
  const clock = { epoch: NOW }
  const turns = new Turns({ now: () => now, patienceMs: 100, refusal: overloaded })
  const renderer = createRenderer({
    tools,
    library: functionLibrary,
    withVariables,
    timeoutMs,
    strict: true,
    metrics: createMetrics(),
    turns,
    now: () => clock.epoch,
    // However slow the machine is.
    processorMs: () => 0,
  })
  const cache = new TemplateCache(engine, 10, Math.random)
  /** As the renderer answers: at once, or with a promise. */
  const begin = (id: string, call: CallContext, isNew = false, isForeign = false) => {
    const prompt = snapshot.prompts.get(id)
    if (prompt === undefined) throw new Error(`no prompt ${id}`)
    const request: RenderRequest = {
      snapshot,
      definition: prompt.definition,
      compiled: cache.compiled(snapshot, prompt),
      variables: {},
      // Without it, the text is one of a request.
      ...(isForeign ? {} : { prompt }),
      call,
      isNew,
    }
    return renderer.render(request)
  }
  const render = async (...asked: Parameters<typeof begin>) => begin(...asked)
  /** Many have been waiting for some time. */
  const fill = () => {
    const waiting = Array.from({ length: 16 }, () => turns.next(0))
    now += 1_000
    return waiting
  }
  return { contexts, begin, renderer, render, turns, fill, clock }
}

describe('for whom a prompt is rendered', () => {
  const signal = new AbortController().signal

  it.each([
    ['nothing but who asks', {}, 900],
    ['a trace and a session', { traceparent: '00-1-2-01', session: 's1' }, 900],
    ['an earlier deadline', { deadlineAt: NOW + 200 }, 160],
    ['a later deadline than the limit of renders', { deadlineAt: NOW + 60_000 }, 900],
  ])('is told to its tools: %s', async (_name, given, leftMs) => {
    const { contexts, render } = open()
    const call = { requestId: 'r1', signal, ...given }
    expect(await render('asks', call)).toMatchObject({ text: 'found' })
    expect(contexts).toEqual([{ ...call, signal: expect.anything(), deadlineAt: NOW + leftMs }])
    expect(Object.isFrozen(contexts[0])).toBe(true)
  })

  it('ends the calls of its tools by going away, with its reason', async () => {
    const cancellation = new Cancellation()
    const { contexts, render } = open(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          cancellation.abort(new Error('gone'))
        }),
    )
    await expect(render('asks', { requestId: 'r1', signal: cancellation })).rejects.toThrow('gone')
    expect(contexts.map((each) => each.signal.reason)).toEqual([new Error('gone')])
  })

  it('fails where its time is over', async () => {
    const call = { requestId: 'r1', signal, deadlineAt: NOW - 1 }
    const failure = await open()
      .render('counts', call)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ServiceError)
    expect(failure).toMatchObject({ code: 'render_timeout' })
  })
})

it('hears of every message that fails while others are still to be started', async () => {
  const unheard: unknown[] = []
  const note = (error: unknown) => unheard.push(error)
  process.on('unhandledRejection', note)
  const call = { requestId: 'r1', signal: new AbortController().signal }
  await expect(open().render('fails_often', call)).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', note)
  expect(unheard).toEqual([])
})

describe('a render that comes while many wait', () => {
  const call = { requestId: 'r1', signal: new AbortController().signal }
  /** They take as long as the machine does. */
  const openPatient = () => open(undefined, 60_000)

  it('is done if it is short, refused if it is new, and waits if others depend on it', async () => {
    const { render, fill } = openPatient()
    const waiting = fill()
    const renders = await Promise.allSettled([
      render('greets', call, true),
      render('is_long', call, true),
      render('is_long', call),
      ...waiting,
    ])
    expect(renders.slice(0, 3)).toMatchObject([
      { status: 'fulfilled', value: { text: 'Hello' } },
      { status: 'rejected', reason: { code: 'overloaded', headers: { 'retry-after': '1' } } },
      { status: 'fulfilled', value: { text: 'x'.repeat(1_000_000) } },
    ])
  })

  it('is refused without being begun if the same was refused again and again, and tried again later', async () => {
    const { begin, render, fill, clock } = openPatient()
    const waiting = fill()
    const tries = [1, 2, 3].map(() => begin('is_long', call, true))
    expect(tries.every((each) => each instanceof Promise)).toBe(true)
    const refused = await Promise.allSettled(tries)
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(() => begin('is_long', call, true)).toThrow('overloaded')
    expect(await render('greets', call, true)).toMatchObject({ text: 'Hello' })
    clock.epoch += 1_000
    const begun = begin('is_long', call, true)
    expect(begun).toBeInstanceOf(Promise)
    await expect(begun).rejects.toMatchObject({ code: 'overloaded' })
    await Promise.all(waiting)
    expect(await render('is_long', call, true)).toMatchObject({ kind: 'prompt' })
  })

  it('with a text of its own is done at once where that was short before, and waits where it was not', async () => {
    const { begin, turns, fill } = openPatient()
    expect(await begin('greets', call, true, true)).toMatchObject({ text: 'Hello' })
    const waiting = [turns.next(), ...fill()]
    expect(begin('greets', call, true, true)).toMatchObject({ text: 'Hello' })
    const other = begin('is_long', call, true, true)
    expect(other).toBeInstanceOf(Promise)
    await Promise.all(waiting)
    expect(await other).toMatchObject({ text: 'x'.repeat(1_000_000) })
  })

  it('is not begun for a client that has gone while it waited', async () => {
    const { begin, turns, contexts } = openPatient()
    const cancellation = new Cancellation()
    const waiting = turns.next()
    const gone = begin('asks', { requestId: 'r1', signal: cancellation }, true, true)
    cancellation.abort(new Error('gone'))
    await expect(gone).rejects.toMatchObject({ code: 'overloaded' })
    await waiting
    expect(contexts).toEqual([])
  })

  it('is not refused while only long ones wait', async () => {
    const { render, turns } = openPatient()
    const waiting = Array.from({ length: 50 }, () => turns.next())
    expect(await render('is_long', call, true)).toMatchObject({ kind: 'prompt' })
    await Promise.all(waiting)
  })
})

describe('what renders make', () => {
  const newCall = () => ({ requestId: 'r1', signal: new AbortController().signal })

  it('is bounded for all that are under way together, but for those that make little', async () => {
    let release = () => {}
    const gate = new Promise<string>((resolve) => {
      release = () => resolve('found')
    })
    const { render } = open(() => gate)
    const refusals: unknown[] = []
    const refused = new Promise<void>((resolve) => {
      for (let i = 0; i < 30; i++) {
        render('makes', newCall()).catch((error: unknown) => {
          refusals.push(error)
          resolve()
        })
      }
    })
    await refused
    expect(refusals[0]).toMatchObject({ code: 'render_limit' })
    expect(await render('counts', newCall())).toMatchObject({ kind: 'prompt' })
    release()
  })

  it('is given back when they end, well or not', async () => {
    const { render } = open()
    for (let i = 0; i < 30; i++) expect(await render('makes', newCall())).toMatchObject({ text: 'found' })
    const failing = open(() => Promise.reject(new Error('no')))
    for (let i = 0; i < 30; i++) {
      await expect(failing.render('makes', newCall())).rejects.not.toMatchObject({ code: 'render_limit' })
    }
  })
})

describe('what is worked out about a compiled prompt', () => {
  /** A template that counts how often somebody looks at what it refers to. */
  function watched() {
    const template = engine.compileToRender('Hello {{.variables.name}}', { name: 'watched' })
    const { references } = template
    const looks = { count: 0 }
    Object.defineProperty(template, 'references', {
      get() {
        looks.count += 1
        return references
      },
    })
    return { template, looks }
  }

  it.each([
    ['kept with a prompt that is kept', false, 1],
    ['worked out anew for one that is not', true, 2],
  ])('is %s', async (_name, isPassing, times) => {
    const { renderer } = open()
    const { template, looks } = watched()
    const definition = normalisePrompt({ userPrompt: template.source }, 'watched')
    const compiled: CompiledPrompt = { kind: 'prompt', revision: 'r', isPassing, template }
    const call = { requestId: 'r1', signal: new AbortController().signal }
    const render = async () =>
      renderer.render({ snapshot, definition, compiled, variables: { name: 'Ada' }, call })
    expect(await render()).toMatchObject({ text: 'Hello Ada' })
    const once = looks.count
    expect(await render()).toMatchObject({ text: 'Hello Ada' })
    expect(looks.count).toBe(once * times)
  })
})
