import type { Command } from './command.js'

/** What commands are for, in the order of the list that `--help` prints. */
export const GROUPS = ['Serve', 'Write prompts', 'Publish', 'Run', 'Redis catalogs', 'Operate'] as const

/** One row of the list of commands. */
export interface ListedCommand {
  readonly name: string
  readonly group: (typeof GROUPS)[number]
  readonly summary: string
  /** Reads the command's file, which reads what only this command needs. */
  load(): Promise<Command>
}

/** Every command, in the order of the list that `--help` prints. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'serve',
    group: 'Serve',
    summary: 'run the service (the default command)',
    load: async () => (await import('./serve.js')).serve,
  },
  {
    name: 'worker',
    group: 'Serve',
    summary: 'work on queued tasks without serving requests',
    load: async () => (await import('./worker.js')).worker,
  },
  {
    name: 'mcp',
    group: 'Serve',
    summary: 'serve the catalog to an MCP client over standard input and output',
    load: async () => (await import('./catalog-commands.js')).mcp,
  },
  {
    name: 'init',
    group: 'Write prompts',
    summary: 'create a folder with a first project',
    load: async () => (await import('./init.js')).init,
  },
  {
    name: 'render',
    group: 'Write prompts',
    summary: 'render one prompt and print the result',
    load: async () => (await import('./catalog-commands.js')).render,
  },
  {
    name: 'check',
    group: 'Write prompts',
    summary: 'lint a catalog: one line per problem',
    load: async () => (await import('./catalog-commands.js')).check,
  },
  {
    name: 'test',
    group: 'Write prompts',
    summary: 'run the tests of prompts: renders, assertions and snapshots',
    load: async () => (await import('./catalog-commands.js')).test,
  },
  {
    name: 'impact',
    group: 'Write prompts',
    summary: 'show what a change would do to renders',
    load: async () => (await import('./catalog-commands.js')).impact,
  },
  {
    name: 'improve',
    group: 'Write prompts',
    summary: 'let a model rewrite a prompt until its tests pass',
    load: async () => (await import('./catalog-commands.js')).improve,
  },
  {
    name: 'drift',
    group: 'Write prompts',
    summary: 'compare a catalog with what a running service serves',
    load: async () => (await import('./catalog-commands.js')).drift,
  },
  {
    name: 'watch',
    group: 'Write prompts',
    summary: 'follow the changes of a catalog',
    load: async () => (await import('./catalog-commands.js')).watch,
  },
  {
    name: 'import',
    group: 'Write prompts',
    summary: 'write prompts of another tool into the catalog',
    load: async () => (await import('./catalog-commands.js')).importPrompts,
  },
  {
    name: 'publish',
    group: 'Publish',
    summary: 'copy a prompt to its next version',
    load: async () => (await import('./catalog-commands.js')).publish,
  },
  {
    name: 'promote',
    group: 'Publish',
    summary: 'move a label to a version, or a share of it',
    load: async () => (await import('./catalog-commands.js')).promote,
  },
  {
    name: 'rollback',
    group: 'Publish',
    summary: 'move a label back',
    load: async () => (await import('./catalog-commands.js')).rollback,
  },
  {
    name: 'sign',
    group: 'Publish',
    summary: 'sign what was proposed for a label',
    load: async () => (await import('./catalog-commands.js')).sign,
  },
  {
    name: 'versions',
    group: 'Publish',
    summary: 'list the versions of a prompt and its labels',
    load: async () => (await import('./catalog-commands.js')).versions,
  },
  {
    name: 'history',
    group: 'Publish',
    summary: 'list what was published, promoted and rolled back',
    load: async () => (await import('./catalog-commands.js')).history,
  },
  {
    name: 'diff',
    group: 'Publish',
    summary: 'compare two versions of a prompt',
    load: async () => (await import('./catalog-commands.js')).diff,
  },
  {
    name: 'verify',
    group: 'Publish',
    summary: 'check versions, labels and history',
    load: async () => (await import('./catalog-commands.js')).verify,
  },
  {
    name: 'label',
    group: 'Publish',
    summary: 'remove a label from a prompt',
    load: async () => (await import('./catalog-commands.js')).label,
  },
  {
    name: 'retire',
    group: 'Publish',
    summary: 'take a prompt out of service',
    load: async () => (await import('./catalog-commands.js')).retire,
  },
  {
    name: 'rename',
    group: 'Publish',
    summary: 'give a prompt another id',
    load: async () => (await import('./catalog-commands.js')).rename,
  },
  {
    name: 'agent',
    group: 'Run',
    summary: 'talk to an agent',
    load: async () => (await import('./catalog-commands.js')).agent,
  },
  {
    name: 'task',
    group: 'Run',
    summary: 'run a task and follow its progress',
    load: async () => (await import('./catalog-commands.js')).task,
  },
  {
    name: 'push',
    group: 'Redis catalogs',
    summary: 'write a catalog directory into Redis',
    load: async () => (await import('./catalog-commands.js')).push,
  },
  {
    name: 'pull',
    group: 'Redis catalogs',
    summary: 'write the catalog of a Redis into a directory',
    load: async () => (await import('./catalog-commands.js')).pull,
  },
  {
    name: 'doctor',
    group: 'Operate',
    summary: 'check dependencies and report problems',
    load: async () => (await import('./catalog-commands.js')).doctor,
  },
  {
    name: 'key',
    group: 'Operate',
    summary: 'create an API key and its entry for KEYS_FILE',
    load: async () => (await import('./key.js')).key,
  },
]
