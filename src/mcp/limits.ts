/** Open streams of clients that wait for changes. */
export const MAX_SUBSCRIPTIONS = 1_024
/** A message over standard input; a longer one ends the connection. */
export const MAX_STDIO_MESSAGE_BYTES = 4 * 1024 * 1024
