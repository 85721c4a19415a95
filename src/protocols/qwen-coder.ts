import { createPairsProtocol } from './pairs-protocol.js'

/** `<function=name>` with `<parameter=name>` around every value: Qwen3-Coder, Qwen3.5 and later. */
export const qwenCoder = createPairsProtocol('qwen-coder', { function: '<function=>', key: '<parameter=>' })
