/** Arguments of a tool in its URL, in characters before they are encoded. */
export const MAX_URL_ARGUMENT_CHARACTERS = 65_536
/** Servers that are connected to at a time. */
export const CONNECTS_AT_ONCE = 16
/** Tools that are looked at before other work has a turn. */
export const TOOLS_PER_TURN = 100
/** The size of a tool's answer unless the configuration, or the program that has the tool, says otherwise, in bytes. */
export const DEFAULT_RESPONSE_BYTES = 1024 * 1024
