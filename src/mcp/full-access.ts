import type { McpAccess } from './mcp-caller.js'

/** For who may everything: without keys, and over the pipes of a program that somebody started for himself. */
export const FULL_ACCESS: McpAccess = { mayRead: () => true, mayRunAgents: true, mayCallTools: true }
