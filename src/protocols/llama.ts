import { stringifyJson } from '../util/json.js'
import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import type { EncodableCall } from './protocol.js'
import { readLlamaCalls, readLlamaStart } from './read-llama-calls.js'
import { namedResponses } from './tool-response.js'

/**
 * JSON objects behind `<|python_tag|>`, separated by `;`: Llama 3.1 and later. The same without the tag, or Python calls
 * in a list, where an answer begins with them; Llama 4 puts these between tags of its own.
 */
const GRAMMAR = {
  open: '<|python_tag|>',
  otherOpen: '<|python_start|>',
  close: '<|python_end|>',
  body: { kind: 'json', argumentsKey: 'parameters' },
} as const satisfies Grammar

export const llama = createProtocol({
  id: 'llama',
  grammar: GRAMMAR,
  results: namedResponses,
  readCall: readLlamaCalls,
  readStart: readLlamaStart,
  encodeCalls: (calls) => (calls.length === 0 ? '' : `${GRAMMAR.open}${calls.map(encodeObject).join('; ')}`),
})

function encodeObject({ name, arguments: args }: EncodableCall): string {
  return stringifyJson({ name, [GRAMMAR.body.argumentsKey]: args })
}
