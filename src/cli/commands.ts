import type { Command } from './command.js'

/** One row of the list of commands. */
export interface ListedCommand {
  readonly name: string
  readonly summary: string
  /** Reads the command's file, which reads what only this command needs. */
  load(): Promise<Command>
}

/** Every command, in the order of the list that `--help` prints. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'serve',
    summary: 'run the service (the default)',
    load: async () => (await import('./serve.js')).serve,
  },
  {
    name: 'worker',
    summary: 'work on tasks of other processes, without serving',
    load: async () => (await import('./worker.js')).worker,
  },
  {
    name: 'agent',
    summary: 'talk to an agent',
    load: async () => (await import('./agent.js')).agent,
  },
  {
    name: 'task',
    summary: 'have a task planned and carried out, and watch it',
    load: async () => (await import('./task.js')).task,
  },
  {
    name: 'render',
    summary: 'render one prompt and print the result',
    load: async () => (await import('./render.js')).render,
  },
  {
    name: 'check',
    summary: 'lint a catalog: one line per problem',
    load: async () => (await import('./check.js')).check,
  },
  {
    name: 'doctor',
    summary: 'try everything the service needs, and say what to mend',
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    name: 'push',
    summary: 'write a catalog directory into Redis',
    load: async () => (await import('./transfer.js')).push,
  },
  {
    name: 'pull',
    summary: 'write the catalog of a Redis into a directory',
    load: async () => (await import('./transfer.js')).pull,
  },
  {
    name: 'watch',
    summary: 'follow the changes of a catalog',
    load: async () => (await import('./watch.js')).watch,
  },
  {
    name: 'mcp',
    summary: 'serve the catalog to an MCP client over standard input and output',
    load: async () => (await import('./mcp.js')).mcp,
  },
  {
    name: 'key',
    summary: 'make an API key, and its entry for KEYS_FILE',
    load: async () => (await import('./key.js')).key,
  },
]
