/**
 * What one request may do in one piece, in milliseconds of processor time. A quiet machine needs less than 20; what
 * this catches is ten times as much and more.
 */
export const LOOP_BOUND_MS = 150
