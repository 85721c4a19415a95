/** Nesting of any JSON text that is read: deeper nesting could exhaust the stack of a recursive function. */
export const MAX_JSON_DEPTH = 1_000
/** Digits and signs of one number. */
export const MAX_NUMBER_CHARACTERS = 400
/** JSON text whose illegal backslashes are escaped. */
export const MAX_ESCAPED_CHARACTERS = 65_536
/** JSON text that is repaired: that cannot be interrupted, and takes 0.4 ms for 1,000 characters while its code is new. */
export const MAX_REPAIRED_CHARACTERS = 32_768
/** Nesting of JSON that others write: bodies, documents, schemas, and answers of tools and models. */
export const MAX_FOREIGN_DEPTH = 200
/** What the answer of a tool may hold. */
export const TOOL_ANSWER_BOUNDS = { maxValues: 100_000, maxDepth: MAX_FOREIGN_DEPTH }
/** What the answer of a model may hold: logarithms of the probabilities of many tokens, for instance. */
export const MODEL_ANSWER_BOUNDS = { maxValues: 1_000_000, maxDepth: MAX_FOREIGN_DEPTH }
/** What one event of a model's stream may hold: it is read in one piece. */
export const MODEL_EVENT_BOUNDS = { maxValues: 50_000, maxDepth: MAX_FOREIGN_DEPTH }
/**
 * Nesting of YAML. Its parser is recursive, and V8 aborts the process where its stack ends inside a regular expression
 * that is not compiled yet.
 */
export const MAX_YAML_LEVELS = 400
/** YAML aliases in one text: each repeats what it refers to. */
export const MAX_YAML_ALIASES = 100
/** Longer YAML is read in a thread while requests are served, in characters: it takes ten times as long as JSON. */
export const LONG_YAML = 8_192
/** Time for one YAML text in a thread: ten mebibytes take some twenty seconds. */
export const YAML_THREAD_MS = 120_000
/** Heap of the thread that reads YAML: more than ten mebibytes of any text take, unless it is a bomb. */
export const YAML_THREAD_HEAP_MB = 512
/** Bytes of log lines that wait for a slow reader; further lines are dropped. */
export const MAX_WAITING_LOG_BYTES = 4 * 1024 * 1024
/** Characters of one attribute of a span: collectors cut or reject longer ones. */
export const MAX_SPAN_CONTENT = 16_384
/** Longest slice of another attempt, as a multiple of the limit. */
export const MAX_PATIENCE = 10
