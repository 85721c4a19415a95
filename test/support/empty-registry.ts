import { LIVE } from '../../src/registry/partial-scope.js'
import type { Registry } from '../../src/registry/registry.js'
import type { SnapshotMap } from '../../src/registry/snapshot.js'

/** A catalog with nothing in it. */
export function emptyRegistry(): Registry {
  const none: SnapshotMap<never> = {
    size: 0,
    get: () => undefined,
    has: () => false,
    ids: () => [],
    prepareIds: () => undefined,
    [Symbol.iterator]: () => [][Symbol.iterator](),
  }
  const current = {
    revision: '0',
    sequence: 1,
    extensions: none,
    prompts: none,
    environs: none,
    tools: none,
    functions: none,
    agents: none,
    versions: none,
    agentVersions: none,
    releases: none,
    agentReleases: none,
    aliases: none,
    promptLives: none,
    agentLives: none,
    context: {},
    diagnostics: [],
    stalePrompts: new Map(),
    unmetDependences: new Map(),
    brokenTexts: new Map(),
  }
  return {
    current,
    status: {
      ready: true,
      stale: false,
      store: { kind: 'none', location: 'none', connected: true, mode: 'none' },
      lastSyncAt: undefined,
      staleSince: undefined,
      sync: { documents: 0, fullLoads: 0, lastLoadMs: 0, incrementalFetches: 0 },
      templateCache: { size: 0, hits: 0, misses: 0, evictions: 0 },
      unreleased: undefined,
    },
    whenReady: async () => {},
    compiled: () => {
      throw new Error('an empty catalog has no prompts')
    },
    compiledInTurns: () => Promise.reject(new Error('an empty catalog has no prompts')),
    labels: {
      promptLabel: undefined,
      isGated: () => false,
      wasReleased: () => false,
      noteUnreleased: () => {},
      now: () => 0,
    },
    scopeOf: () => LIVE,
    servedTo: (snapshot) => snapshot,
    forget: () => {},
    maxTemplateBytes: 0,
    history: async () => undefined,
    document: async () => undefined,
    unread: async () => [],
    readThrough: async () => current,
    subscribe: () => () => {},
    close: async () => {},
  }
}
