/** What was asked for before the page's script was here. */
export interface EarlyAnswers {
  /** The key that it was asked with: answers for another key are not used. */
  readonly key: string
  /** By their paths; each is taken once. */
  readonly answers: Map<string, Promise<Response>>
}

type Priority = 'high' | 'low'

/** Sends a request, as `fetch` does. */
type Send = (
  path: string,
  request: { readonly headers: Headers; readonly priority: Priority },
) => Promise<Response>

/** The events of the catalog. */
export const EVENTS = 'api/events'
/** What the key may do. */
export const ME = 'api/me'

/** What is in sight of a list at first, and a little more. */
export const FIRST_PAGE = '100'
/** Rows that are asked for at once. */
export const PAGE_SIZE = '10000'
/** What the page shows of a row, and finds it by. */
const FIELDS = {
  prompts: 'name,description,examples',
  tools: 'name,description,function,type,readOnly',
  environs: 'type',
  agents: 'name,description,tools',
} as const

/** Where a page of a list is: `shelf` as the interface calls it. */
export function listPath(shelf: keyof typeof FIELDS, query: Readonly<Record<string, string>>): string {
  return `api/${shelf}?${new URLSearchParams({ ...query, fields: FIELDS[shelf] })}`
}

/** What every request says: that it reads answers of this shape, and with which key it comes. */
export function requestHeaders(key: string): Headers {
  const headers = new Headers({ 'x-api-shape': '1' })
  if (key !== '') headers.set('authorization', `Bearer ${key}`)
  return headers
}

/**
 * Asks for what every view begins with, while the page's script is read: the service answers meanwhile. The whole list is
 * asked for once events are heard, so that no change is missed in between. With a key only its rights are asked for.
 */
export function askEarly(key: string, send: Send): EarlyAnswers {
  const answers = new Map<string, Promise<Response>>()
  const ask = (path: string, priority: Priority) => {
    const answer = send(path, { headers: requestHeaders(key), priority })
    // The code that takes the answer gets its failure.
    answer.catch(() => {})
    answers.set(path, answer)
    return answer
  }
  const askForList = ({ ok }: Response) => {
    if (ok) ask(listPath('prompts', { limit: PAGE_SIZE }), 'low')
  }
  ask(ME, 'high')
  // What a key may read is not known yet, and nothing is asked for that may be forbidden.
  if (key !== '') return { key, answers }
  ask(listPath('prompts', { limit: FIRST_PAGE }), 'high')
  ask(EVENTS, 'high').then(askForList, () => {})
  return { key, answers }
}

/** What answers a request without a body already, if anything does. */
export function takeEarly(early: EarlyAnswers, path: string, key: string): Promise<Response> | undefined {
  if (early.key !== key) return undefined
  const answer = early.answers.get(path)
  early.answers.delete(path)
  return answer
}
