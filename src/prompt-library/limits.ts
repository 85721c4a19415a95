/** Deeper values would exhaust the stack when they are printed. */
export const MAX_VALUE_DEPTH = 500
