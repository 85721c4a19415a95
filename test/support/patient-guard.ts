import { createHardStop } from '../../src/util/slices/hard-stop.js'

/** Stops what never ends, and nothing that only waits for a busy machine. */
export const patientGuard = createHardStop({ limitMs: 30_000 })
