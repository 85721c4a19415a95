import { describe, expect, it } from 'vitest'
import {
  askEarly,
  EVENTS,
  FIRST_PAGE,
  listPath,
  ME,
  PAGE_SIZE,
  takeEarly,
} from '../../../src/ui/api/early.js'

/** A service that notes what it is asked; its events are heard when somebody says so. */
function service(eventsStatus = 200) {
  const asked: string[] = []
  let open = () => {}
  const heard = new Promise<void>((resolve) => {
    open = resolve
  })
  const send = async (path: string, { headers }: { readonly headers: Headers }) => {
    asked.push(`${path} ${headers.get('authorization') ?? '-'}`)
    if (path === EVENTS) await heard
    return new Response(path, { status: path === EVENTS ? eventsStatus : 200 })
  }
  const hear = () => {
    open()
    return new Promise((later) => setImmediate(later))
  }
  return { asked, send, hear }
}

const paths = (asked: readonly string[]) => asked.map((each) => each.split(/[? ]/, 1)[0])
const BEGINNING = listPath('prompts', { limit: FIRST_PAGE })
const LIST = listPath('prompts', { limit: PAGE_SIZE })

describe('what is asked before the script of the page is here', () => {
  it('asks for the whole list once events are heard, so that no change is missed', async () => {
    const { asked, send, hear } = service()
    const early = askEarly('', send)
    expect(paths(asked)).toEqual([ME, 'api/prompts', EVENTS])
    await hear()
    expect(paths(asked)).toEqual([ME, 'api/prompts', EVENTS, 'api/prompts'])
    expect([...early.answers.keys()]).toEqual([ME, BEGINNING, EVENTS, LIST])
  })

  it('asks for no list where events are denied', async () => {
    const { asked, send, hear } = service(403)
    askEarly('', send)
    await hear()
    expect(asked).toHaveLength(3)
  })

  it('asks with a key for its rights alone: the rest may be forbidden', () => {
    const { asked, send } = service()
    askEarly('secret', send)
    expect(asked).toEqual([`${ME} Bearer secret`])
  })

  it('answers once', async () => {
    const early = askEarly('', service().send)
    expect(await (await takeEarly(early, ME, ''))?.text()).toBe(ME)
    expect(takeEarly(early, ME, '')).toBeUndefined()
    expect(takeEarly(early, 'api/tools', '')).toBeUndefined()
  })

  it('answers nothing for a key that was entered since', () => {
    const early = askEarly('', service(401).send)
    expect(takeEarly(early, ME, 'entered')).toBeUndefined()
  })

  it('hands a failure to whoever takes the answer', async () => {
    const early = askEarly('', () => Promise.reject(new TypeError('away')))
    await expect(takeEarly(early, ME, '')).rejects.toThrow('away')
  })
})
