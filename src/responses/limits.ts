/** The longest chain of responses. */
export const MAX_RESPONSE_CHAIN = 1_000
