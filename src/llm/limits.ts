/** Requests at once to an upstream, unless its settings say otherwise. */
export const MAX_MODEL_REQUESTS = 512
/** Requests that wait for an upstream. */
export const MAX_MODEL_QUEUE = 1_024
/** How long a request waits for an upstream. */
export const MODEL_QUEUE_TIMEOUT_MS = 30_000
/** An answer of a model, decompressed. */
export const MAX_MODEL_ANSWER_BYTES = 32 * 1024 * 1024
/** One event of a model's stream, which is read in one piece. */
export const MAX_EVENT_BYTES = 4 << 20
