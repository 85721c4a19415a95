/** A user of Redis, and what it may do. */
interface AclUser {
  readonly name: string
  /** What it is for. */
  readonly about: string
  /** Key patterns that it writes. It reads all keys of the catalog. */
  readonly writes: readonly string[]
  readonly commands: readonly string[]
}

const READING = [
  'get',
  'mget',
  'scan',
  'type',
  'ping',
  'client|id',
  'client|tracking',
  'subscribe',
  'psubscribe',
]
const HISTORY = ['xrange', 'xrevrange']
const WRITING = [...HISTORY, 'set', 'watch', 'unwatch', 'multi', 'exec', 'xadd']

/** What commands write beside versions and labels: histories, and what waits for signatures. */
const BESIDE = ['history:*', 'agent-history:*', 'proposals:*', 'agent-proposals:*']
const VERSIONS = ['templates:*@*', 'agents:*@*']
const labelKeys = (label: string) => [`releases:*:${label}`, `agent-releases:*:${label}`]

const USERS: readonly AclUser[] = [
  {
    name: 'prompt-shell',
    about: 'the service: reads, and is notified of changes',
    writes: [],
    commands: [...READING, ...HISTORY],
  },
  {
    name: 'publisher',
    about: 'publishes versions, moves staging, and proposes; neither drafts nor other labels',
    writes: [...VERSIONS, ...labelKeys('staging'), ...BESIDE],
    commands: [...READING, ...WRITING],
  },
  {
    name: 'promoter',
    about: 'the same, and moves and removes every label',
    writes: [...VERSIONS, ...labelKeys('*'), ...BESIDE],
    commands: [...READING, ...WRITING, 'del'],
  },
]

/**
 * Lines for a Redis from 7.0 on, one user each, with a comment before each: what the service needs, and what commands need
 * that publish and promote. Keys that are only read take `%R~`, written ones `%W~`.
 *
 * @param prefix first part of every key
 */
export function aclLines(prefix: string): readonly string[] {
  return USERS.flatMap(({ name, about, writes, commands }) => [
    `# ${name}: ${about}`,
    [
      `ACL SETUSER ${name} on ><password> resetkeys resetchannels -@all`,
      `%R~${prefix}:*`,
      ...writes.map((pattern) => `%W~${prefix}:${pattern}`),
      '&__redis__:invalidate',
      ...commands.map((command) => `+${command}`),
    ].join(' '),
  ])
}
