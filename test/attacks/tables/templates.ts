import { HOSTILE_TEMPLATES } from './hostile-templates.js'
import type { HttpRow } from './http-row.js'

const REFUSED = ['render_limit', 'render_timeout']
const SHARED = HOSTILE_TEMPLATES.at(-1)?.[1]
const message = { role: 'user', content: 'hello' }
/** Without a variable: it must only be compiled. */
const FIVE_ACTIONS = '{{if .variables}}{{end}}{{/* */}}{{/* */}}{{/* */}}'

const LARGE_PROMPTS: readonly (readonly [name: string, prompt: object])[] = [
  ['20,000 messages', { messages: new Array(20_000).fill(message) }],
  [
    '20,000 parts',
    { messages: [{ role: 'user', content: new Array(20_000).fill({ type: 'text', text: 'a' }) }] },
  ],
  ['200,000 invalid messages', { messages: new Array(200_000).fill({}) }],
  [
    '2,000 messages of 20 actions',
    { messages: new Array(2_000).fill({ role: 'user', content: '{{.a}}'.repeat(20) }) },
  ],
  ['a long text', { userPrompt: 'a'.repeat(300_000) }],
]

/** Templates that work without an end, and prompts that are large as a whole. */
export const TEMPLATES: readonly HttpRow[] = [
  ...HOSTILE_TEMPLATES.map(([name, userPrompt]) => ({
    name,
    path: '/api/render',
    body: () => ({ prompt: { userPrompt } }),
    status: [200, 503],
    code: REFUSED,
  })),
  ...['dry_run', 'explain'].map((query) => ({
    name: `a shared list for a tool with ${query}`,
    path: `/api/render?${query}=true`,
    body: () => ({ prompt: { userPrompt: SHARED } }),
    status: 503,
    code: 'render_limit',
  })),
  ...LARGE_PROMPTS.map(([name, prompt]) => ({
    name,
    path: '/api/render',
    body: () => ({ prompt }),
    status: 400,
    // Very many values are refused with the body already.
    code: ['invalid_prompt', 'invalid_request', 'invalid_json'],
  })),
  {
    name: 'a number literal of many digits',
    path: '/api/render',
    body: () => ({ prompt: { userPrompt: `{{0x${'a'.repeat(60_000)}}}x` } }),
    status: 400,
    code: 'template_syntax',
    maxLength: 100_000,
  },
  {
    name: '1,000 messages of 5 actions',
    path: '/api/render',
    body: () => ({ prompt: { messages: new Array(1_000).fill({ role: 'user', content: FIVE_ACTIONS }) } }),
    status: 200,
  },
]
