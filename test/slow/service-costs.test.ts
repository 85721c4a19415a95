import { afterAll, beforeAll, expect, it } from 'vitest'
import { unguarded } from '../../src/util/slices/slice.js'
import { leastOf, longestOf } from '../support/costs/longest-piece.js'
import { TEXT_SHAPES } from '../support/costs/shapes.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

/** What is promised, doubled for machines that are slower or busy. */
const LONGEST_MS = 50
const ATTEMPTS = 6
const LONG = 1_000_000
const VARIABLES = 40_000

const FORMATS = [
  ...(['date-time', 'date', 'time', 'duration', 'email', 'idn-email', 'hostname', 'ipv4', 'ipv6'] as const),
  ...(['uri', 'uri-reference', 'iri', 'uuid', 'json-pointer', 'relative-json-pointer'] as const),
  ...(['uri-template', 'regex'] as const),
]

const list = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))
const named = (name: (at: number) => string) => Object.fromEntries(list(VARIABLES, (at) => [name(at), at]))
const takes = (schema: object) => ({
  userPrompt: '{{len .variables.l}}',
  parameters: { type: 'object', properties: { l: schema } },
})

const DOCUMENTS = {
  ...Object.fromEntries(
    FORMATS.map((format) => [`templates/formats/${format}.json`, takes({ type: 'string', format })]),
  ),
  'templates/p/unique.json': takes({ type: 'array', uniqueItems: true }),
  'templates/p/near.json': {
    userPrompt: '{{.variables.alpha_beta_gamma}}',
    parameters: { type: 'object', properties: { alpha_beta_gamma: {} }, required: ['alpha_beta_gamma'] },
  },
  'templates/p/all.json': { userPrompt: '{{toJson .variables}}' },
  'environs/shared.json': named((at) => `alpha_bexta_gam${at}`),
  ...Object.fromEntries(
    list(2_000, (at) => [`templates/many/house_style_prompt_${at}.json`, { userPrompt: 'x' }]),
  ),
}

/** Templates that call the next one twice. */
const DOUBLING = `${list(30, (level) => {
  const next = `{{template "t${level + 1}"}}`
  return `{{define "t${level}"}}${next}${next}{{end}}`
}).join('')}{{define "t30"}}x{{end}}{{template "t0"}}`

const registered = (id: string, variables: object, query = '') =>
  [`/api/render/prompts/${id}${query}`, { variables }] as const
const inline = (userPrompt: string, variables: object = {}) =>
  ['/api/render', { prompt: { userPrompt }, variables }] as const

const ROWS: Readonly<Record<string, readonly [url: string, body: object]>> = {
  'templates that call each other': inline(DOUBLING),
  'very many variables near one that is missing': registered(
    'p.near',
    named((at) => `alpha_beta_gam${at}`),
  ),
  'very long names near one that is missing': inline(
    `{{.variables.${'a'.repeat(200)}}}`,
    Object.fromEntries(list(19_000, (at) => ['a'.repeat(190) + at, at])),
  ),
  'a shared name near one that is missing': inline('{{.shared.alpha_beta_gamma}}'),
  'a template near one that is missing': inline('{{template "many.house_stile_promt" .}}'),
  'unique texts': registered('p.unique', { l: list(90_000, (at) => `text ${at}`) }),
  'unique lists': registered('p.unique', { l: list(20_000, (at) => [at, [at]]) }),
  'an explanation of very many variables': registered(
    'p.all',
    named((at) => `k${at}`),
    '?explain=true',
  ),
  ...Object.fromEntries(
    FORMATS.flatMap((format) =>
      Object.entries(TEXT_SHAPES).map(([shape, make]) => [
        `the format ${format} of ${shape}`,
        registered(`formats.${format}`, { l: make(LONG) }),
      ]),
    ),
  ),
}

let service: TestApp
beforeAll(async () => {
  // By charges and bounds alone.
  const environment = { RENDER_TIMEOUT_MS: '3000' }
  service = await startTestApp(DOCUMENTS, environment, { guard: unguarded })
})
afterAll(() => service.close())

it.each(Object.entries(ROWS))('%s holds nobody up', async (_name, [url, body]) => {
  const payload = JSON.stringify(body)
  const ms = await leastOf(ATTEMPTS, LONGEST_MS, () => longestOf(() => service.post(url, payload)))
  expect(ms).toBeLessThan(LONGEST_MS)
})
