import type { HttpRow } from './http-row.js'
import { MEGABYTES } from './json-texts.js'

const UI = '/api/agents/t.native/ui'
const AG_UI = '/api/agents/t.native/ag-ui'
/** Whatever it is, it is an answer, and no failure of the service. */
const ANSWERED = [200, 400, 404, 409, 413, 422]
const long = () => 'x'.repeat(MEGABYTES)
const text = { type: 'text', text: 'hi' }
const approval = {
  type: 'dynamic-tool',
  toolName: 'm_read',
  state: 'approval-responded',
  approval: { id: 'none', approved: true },
}

/** What user interfaces may send last, by what the chat is called. */
const MESSAGES: readonly (readonly [name: string, message: () => object])[] = [
  ['20,000 parts', () => ({ role: 'user', parts: new Array(20_000).fill(text) })],
  ['20,000 parts nobody knows', () => ({ role: 'user', parts: new Array(20_000).fill({ type: 'data-x' }) })],
  ['20,000 answers to no question', () => ({ role: 'assistant', parts: new Array(20_000).fill(approval) })],
  ['a text of 3.8 MB', () => ({ role: 'user', parts: [{ type: 'text', text: long() }] })],
  [
    'a file of 3.8 MB',
    () => ({
      role: 'user',
      parts: [{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${long()}` }],
    }),
  ],
  ['a role of 3.8 MB', () => ({ role: long(), parts: [] })],
  ['a type of 3.8 MB', () => ({ role: 'user', parts: [{ type: long() }] })],
]

/** Bodies of the two user interfaces' streams. */
export const UI_BODIES: readonly HttpRow[] = [
  ...MESSAGES.map(([name, message], index) =>
    row(`${name}, for useChat`, UI, () => ({ id: `u${index}`, messages: [message()] })),
  ),
  ...MESSAGES.map(([name, message], index) =>
    row(`${name}, for AG-UI`, AG_UI, () => {
      const { parts, ...rest } = { parts: [], ...message() }
      return { threadId: `a${index}`, runId: 'r', messages: [{ ...rest, content: parts }] }
    }),
  ),
  row('20,000 messages', UI, () => ({
    id: 'm',
    messages: new Array(20_000).fill({ role: 'user', parts: [text] }),
  })),
  row('an id of 3.8 MB', UI, () => ({ id: long(), messages: [{ role: 'user', parts: [text] }] })),
  row('no messages', UI, () => ({ id: 'n', messages: [] })),
  row('variables of 40,000 names', UI, () => ({
    id: 'v',
    messages: [{ role: 'user', parts: [text] }],
    variables: Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`n${index}`, index])),
  })),
  row('20,000 answers that end no interrupt', AG_UI, () => ({
    threadId: 'i',
    runId: 'r',
    messages: [],
    resume: new Array(20_000).fill({ interruptId: 'none', status: 'resolved', payload: { approved: true } }),
  })),
  row('forwarded properties of 3.8 MB', AG_UI, () => ({
    threadId: 'f',
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: 'hi' }],
    forwardedProps: long(),
  })),
]

function row(name: string, path: string, body: () => object): HttpRow {
  return { name, path, body, status: ANSWERED }
}
