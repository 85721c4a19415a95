/** What a request puts on top of the shared context. */
export const OWN_ENTRIES: ReadonlySet<string> = new Set(['variables', 'args'])
