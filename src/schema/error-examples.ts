import { ERRORS, type ErrorCode } from '../errors.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'

/** What an example of an error says beside its code. */
export interface ErrorExample {
  readonly message: string
  readonly param: string | null
  readonly details?: JsonValue
}

/**
 * One answer for every error that the interface documents, as the service gives it over the bundled catalog: a test
 * makes each of them happen.
 */
export const ERROR_EXAMPLES = {
  invalid_json: {
    message: 'The body is not valid JSON: Unexpected end, expected a value at line 1, column 14',
    param: null,
    details: { line: 1, column: 14 },
  },
  invalid_request: {
    message: 'variables must be an object',
    param: 'variables',
    details: [{ path: 'variables', message: 'must be an object' }],
  },
  invalid_variables: {
    message: 'variables.max_length must be an integer',
    param: 'variables',
    details: [{ path: 'variables.max_length', message: 'must be an integer' }],
  },
  missing_variables: {
    message: 'Missing: variables.diff',
    param: 'variables',
    details: [{ path: 'variables.diff', message: 'is required' }],
  },
  invalid_prompt: { message: 'a prompt needs messages or userPrompt (or its alias prompt)', param: 'prompt' },
  template_syntax: {
    message: 'template: inline:1: unclosed action. End the action with }}',
    param: null,
    details: {
      line: 1,
      column: 24,
      frame: 'Hello {{.variables.name\n                       ^',
      hint: 'end the action with }}',
    },
  },
  invalid_sequence: {
    message:
      'invalid message sequence: message 1: a tool message must follow an assistant message with `tool_calls`',
    param: 'messages',
    details: [
      {
        index: 1,
        rule: 'orphan_tool',
        reason: 'a tool message must follow an assistant message with `tool_calls`',
      },
    ],
  },
  prompt_not_portable: {
    message:
      '"review.code_review" is more than text with plain variables: it has {{if .vscode.rules}}. Have this service render it: POST /api/render/prompts/{id}, or /v1/chat/completions with prompt: {id}',
    param: null,
    details: {
      hint: 'have this service render it: POST /api/render/prompts/{id}, or /v1/chat/completions with prompt: {id}',
    },
  },
  llm_rejected: {
    message: 'a scripted failure',
    param: null,
    details: { upstream: 'echo', upstream_status: 400, upstream_error: { message: 'a scripted failure' } },
  },
  invalid_api_key: { message: 'An API key is required: send Authorization: Bearer <key>', param: null },
  forbidden: { message: 'Calling tools is switched off by TOOL_CALL_ENABLED=false', param: null },
  extension_not_found: unknownId('extension', 'evaluater', 'evaluator'),
  prompt_not_found: unknownId('prompt', 'evaluator.evaluate', 'evaluator.evaluate_quality'),
  version_not_found: {
    message: 'The prompt "review.code_review" has no version 8',
    param: 'version',
    details: { versions: [] },
  },
  label_not_found: {
    message: 'The prompt "review.code_review" has no label "qa"',
    param: 'label',
    details: { labels: [] },
  },
  environ_not_found: unknownId('environ', 'vscode.rule', 'vscode.rules'),
  tool_not_found: unknownId('tool', 'codebase.lookup', 'codebase.lookup_ref'),
  session_not_found: { message: 'Session "s1" does not exist', param: null },
  task_not_found: { message: 'Task "t1" does not exist', param: null },
  response_not_found: { message: "Response with id 'resp_1' not found", param: null },
  conversation_not_found: { message: "Conversation with id 'conv_1' not found", param: null },
  previous_response_not_found: {
    message:
      "Previous response with id 'resp_1' not found. A response is kept only if its request has `store: true`, or with RESPONSES_STORE=always.",
    param: 'previous_response_id',
  },
  item_not_found: { message: "Item with id 'msg_1' not found", param: null },
  already_exists: {
    message: 'Session "s2" already exists, or a part of it with this name: choose another name',
    param: null,
  },
  revision_changed: {
    message: 'The document changed since it was read. Read it again.',
    param: null,
  },
  agent_not_found: unknownId('agent', 'project.research', 'project.researcher'),
  payload_too_large: { message: 'The body is larger than 1024 bytes (MAX_BODY_BYTES)', param: null },
  unsupported_media_type: {
    message: 'The body must be JSON, sent with content-type: application/json',
    param: null,
  },
  rate_limited: { message: 'More than 1/h requests; try again in 3600 s', param: null },
  template_error: {
    message:
      'template: inline:1:3: executing "inline" at <index .variables.list 3>: error calling index: index out of range: 3',
    param: null,
    details: { line: 1, column: 3 },
  },
  llm_unavailable: {
    message: 'The model did not answer: the upstream answered 503: a scripted failure',
    param: null,
    details: { upstream: 'echo', upstream_status: 503, attempts: 3, reason: 'status' },
  },
  llm_bad_response: {
    message: `The model's answer does not fit the schema: the answer must have the property "score"`,
    param: null,
    details: { violations: [{ path: '', message: 'must have the property "score"' }], attempts: 1 },
  },
  render_timeout: {
    message:
      'template: inline:1:47: executing "inline" at <len "a">: render deadline exceeded. A render may take 500 ms (RENDER_TIMEOUT_MS)',
    param: null,
    details: { line: 1, column: 47, hint: 'a render may take 500 ms (RENDER_TIMEOUT_MS)' },
  },
  render_limit: {
    message:
      'template: inline:1:31: executing "deeper" at <{{template "deeper" .}}>: exceeded maximum template depth (1000)',
    param: null,
    details: { line: 1, column: 31, limit: 1000 },
  },
  overloaded: { message: 'The service is overloaded; retry later', param: null },
  not_ready: { message: 'The catalog has not been loaded yet', param: null },
} as const satisfies Partial<Record<ErrorCode, ErrorExample>>

function unknownId(noun: string, id: string, near: string): ErrorExample {
  const message = `No ${noun} has the id "${id}". Did you mean "${near}"?`
  return { message, param: 'id', details: { near: [near] } }
}

/** A code that the interface documents. */
export type DocumentedCode = keyof typeof ERROR_EXAMPLES

/** True for the code of an error that the interface documents. */
export function isDocumentedCode(code: string): code is DocumentedCode {
  return Object.hasOwn(ERROR_EXAMPLES, code)
}

/** The whole body of an example. */
export function errorExample(code: DocumentedCode): JsonObject {
  const { message, param, ...rest } = ERROR_EXAMPLES[code]
  const error = { message, type: ERRORS[code].type, code, param, ...rest }
  return { status: 'error', error, request_id: 'req-5f2b8c1d90ae-1' }
}
