import { createPairsProtocol } from './pairs-protocol.js'

/** The name behind `<tool_call>`, then pairs of `<arg_key>` and `<arg_value>`: GLM 4.5 to 4.7. */
export const glm = createPairsProtocol('glm', { key: '<arg_key>', value: '<arg_value>' })
