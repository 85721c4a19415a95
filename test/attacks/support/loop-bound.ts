/**
 * What one request may do in one piece, in milliseconds of processor time. A quiet machine needs less than 20 (the
 * full run looks at that); what this catches on a busy one is several times as much.
 */
export const LOOP_BOUND_MS = 75
