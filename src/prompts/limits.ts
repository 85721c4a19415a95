/** Tool calls of one render: those under way, and those that an explanation lists, are kept. */
export const MAX_TOOL_CALLS = 1_000
/** How often work is started before a process that hardly had the processor is `overloaded`. */
export const MAX_ATTEMPTS = 4
