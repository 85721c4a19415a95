/** Messages of one prompt and their parts together. */
export const MAX_PROMPT_PARTS = 2_000
/** Actions of all texts of one prompt, together: parsing and checking takes time for each. */
export const MAX_PROMPT_ACTIONS = 5_000
/** Prompts of one extension: they come and go together, in one piece. */
export const MAX_EXTENSION_PROMPTS = 5_000
/** Removed versions that are remembered. */
export const MAX_GONE_VERSIONS = 100_000
