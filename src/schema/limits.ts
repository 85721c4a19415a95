/** A schema of a document or a server, in characters of its JSON. */
export const MAX_SCHEMA_CHARACTERS = 256 << 10
/** Keywords in a schema, those of its parts included. */
export const MAX_KEYWORDS = 2_000
/** Parts of a schema once every `$ref` is written out. */
export const MAX_EXPANDED_PARTS = 20_000
/** Nesting of schemas in a schema. */
export const MAX_SCHEMA_DEPTH = 64
/** Schemas that lead to one another, by reference or by nesting. */
export const MAX_SCHEMA_CHAIN = 400
/** Values of one `enum`. */
export const MAX_ENUM_VALUES = 5_000
/** Regular expressions of a schema. */
export const MAX_PATTERNS = 50
/** Characters of its regular expressions together. */
export const MAX_PATTERN_CHARACTERS = 2_000
/** Compiled programs of its regular expressions together, in instructions. */
export const MAX_PATTERN_INSTRUCTIONS = 5_000
/** Reported problems of one check; further ones are only counted. */
export const MAX_PROBLEMS = 100
/** What one check may cost: one step is about one keyword on one value. */
export const MAX_CHECK_STEPS = 200_000
/** Nesting of schema parts while a value is checked. */
export const MAX_CHECK_DEPTH = 1_000
/** A text that can match a `format`. */
export const MAX_FORMAT_CHARACTERS = 2_048
/** Fields of a body whose further fields go to a model. */
export const MAX_PASSED_FIELDS = 1_000
/** The longest `CONFIG_FILE`: a megabyte takes a second to read. */
export const MAX_CONFIG_FILE_CHARACTERS = 1024 * 1024
/** Words and marks of `CONFIG_FILE`: some 15,000 lines. */
export const MAX_CONFIG_FILE_TOKENS = 100_000
