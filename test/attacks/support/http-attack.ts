import type { HttpRow } from '../tables/http-row.js'
import { type AttackedService, type AttackResult, attack } from './attack.js'

/** What rows without a path of their own render. */
export const DOCUMENTS: Readonly<Record<string, unknown>> = {
  'templates/demo/hello.json': { userPrompt: 'Hello {{.variables.name}}' },
  'tools/codebase/lookup.json': {
    name: 'lookup',
    module: 'codebase',
    type: 'restful',
    url: 'http://127.0.0.1:9/',
    parameters: { type: 'object', properties: { value: {} } },
  },
}
/** So that templates without an end are over soon. */
export const ENVIRONMENT = { RENDER_TIMEOUT_MS: '300' }

const MAX_ERROR_LENGTH = 64_000

/** Sends a row once. */
export function sendRow(
  service: AttackedService,
  { method = 'POST', path, body }: HttpRow,
  headers: Readonly<Record<string, string>> = {},
): Promise<AttackResult> {
  return attack({ service, method, path: path ?? '/api/render/prompts/demo.hello', body: body(), headers })
}

/** What is wrong with the answer to a row; undefined for nothing. */
export function mistakeOf(row: HttpRow, { status, body, length }: AttackResult): string | undefined {
  const { error } = body
  const said = JSON.stringify(error ?? body)?.slice(0, 300)
  if (![row.status].flat().includes(status)) return `status ${status}: ${said}`
  const isRefused = status >= 400
  if (isRefused && row.code !== undefined && ![row.code].flat().includes(error?.code)) return said
  if (row.message !== undefined && !row.message.test(error?.message)) return said
  if (row.text !== undefined && body.rendered_prompt !== row.text) return `another text: ${said}`
  const longest = row.maxLength ?? (isRefused ? MAX_ERROR_LENGTH : Number.POSITIVE_INFINITY)
  return length > longest ? `an answer of ${length} characters` : undefined
}
