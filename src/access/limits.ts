/** The longest `KEYS_FILE`. */
export const MAX_KEYS_BYTES = 4 * 1024 * 1024
/** What `KEYS_FILE` may hold: ten thousand keys with all their fields, of which four are lists. */
export const KEYS_BOUNDS = { maxValues: 1_000_000, maxDepth: 20, maxContainers: 50_002 }
