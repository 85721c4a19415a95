/** Most text that a schema of somebody else may have, in characters of its JSON. */
export const MAX_SCHEMA_CHARACTERS = 256 << 10
/** Most keywords in a schema, those of its parts included. */
export const MAX_KEYWORDS = 2_000
/** Most parts a schema may have once every `$ref` is written out. */
export const MAX_EXPANDED_PARTS = 20_000
/** How deep a schema may be nested in another. */
export const MAX_SCHEMA_DEPTH = 64
/** How many schemas may lead to one another, by reference or by nesting. */
export const MAX_SCHEMA_CHAIN = 400
/** How deep the JSON of a schema may be nested, values such as `default` included. */
export const MAX_SCHEMA_JSON_DEPTH = 200
/** Most values of one `enum`. */
export const MAX_ENUM_VALUES = 5_000
/** Most regular expressions of a schema. */
export const MAX_PATTERNS = 50
/** Most characters of its regular expressions together. */
export const MAX_PATTERN_CHARACTERS = 2_000
/** Largest programs of its regular expressions together, in instructions. */
export const MAX_PATTERN_INSTRUCTIONS = 5_000

/** Limit of reported problems; further ones are only counted. */
export const MAX_PROBLEMS = 100
/** What one check may cost: one step is about one keyword on one value. */
export const MAX_CHECK_STEPS = 200_000
/** How deep parts of a schema may be entered one inside another while a value is checked. */
export const MAX_CHECK_DEPTH = 1_000
/** Longer texts fit no format. */
export const MAX_FORMAT_CHARACTERS = 2_048
