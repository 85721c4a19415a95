/** One event of a model's stream is read in one piece, so that it may not be as large as a whole answer. */
export const MAX_EVENT_BYTES = 4 << 20
