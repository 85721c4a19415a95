import { toolResultMessage } from '../conversation/tool-calls.js'
import type { ToolProtocol } from './protocol.js'

/** Calls in fields of the API: nothing is written, and text is text. */
export const native: ToolProtocol = {
  id: 'native',
  instructions: () => '',
  encodeCall: () => '',
  encodeCalls: () => '',
  encodeResults: (results) => results.map(({ call, content }) => toolResultMessage(call.id, content)),
  parser: () => ({
    push: (text) => (text === '' ? [] : [{ kind: 'text', text }]),
    end: () => [],
  }),
}
