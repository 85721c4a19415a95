import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from './registry/registry.js'
import { loadEncoding } from './template/host.js'
import type { Tools } from './tools/tools.js'
import { ajv } from './util/packages/ajv.js'
import { jsonRepair } from './util/packages/jsonrepair.js'
import { readPackageInParts } from './util/packages/package-parts.js'
import { re2js } from './util/packages/re2js.js'
import { readUndiciAlone } from './util/packages/read-undici.js'
import { pause } from './util/slices/pause.js'
import { yaml } from './util/yaml/yaml.js'

/** Who waits for the service to be ready asks within this time, and is answered first. */
const AFTER_READY_MS = 200

export interface WarmUpOptions {
  readonly registry: Registry
  readonly tools: Pick<Tools, 'warm'>
  /** Gives up. */
  readonly signal: AbortSignal
}

/**
 * Does after the start what the start left out, in the background and one thing a turn: reads the large libraries, and
 * connects to the servers of the catalog's tools. Never rejects.
 */
export async function warmUp({ registry, tools, signal }: WarmUpOptions): Promise<void> {
  try {
    await registry.whenReady()
    await sleep(AFTER_READY_MS, undefined, { ref: false, signal })
  } catch {
    return
  }
  await readUndiciAlone()
  if (signal.aborted) return
  const { tools: entries, context } = registry.current
  await tools.warm({ entries, context, signal })
  for (const name of ['ajv', 'yaml', 'prom-client'] as const) {
    for (const _ of readPackageInParts(name)) {
      await pause()
      if (signal.aborted) return
    }
  }
  for (const read of [re2js, readLetters, ajv, yaml, jsonRepair, loadEncoding]) {
    await pause()
    if (!signal.aborted) await read()
  }
}

/** The first expression reads the tables of which letters are capitals of others. */
function readLetters(): void {
  re2js().RE2JS.compile('a')
}
