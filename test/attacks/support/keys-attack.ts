import { createKeysFile } from '../../support/keys-file.js'
import type { KeysFileRow } from '../tables/keys-files.js'
import { type AttackedService, attack, startAttackedService, withGaps } from './attack.js'
import { DOCUMENTS } from './http-attack.js'

/** The built service over a file of keys into which others write. */
export interface AttackedByKeys {
  readonly service: AttackedService
  /** Makes the file a good one. */
  mend(): Promise<unknown>
  /** Writes a row over a good file, and waits until the service says something of it. */
  write(row: KeysFileRow): Promise<{ readonly problem: string; readonly longestBusyMs: number }>
  /** The exit code. */
  stop(): Promise<number | null>
}

const KEY = { name: 'ann', key: 'key-of-ann', scopes: ['read', 'render', 'admin'] }
const HEADERS = { 'x-api-key': KEY.key }
const PATIENCE_MS = 60_000

/** Starts it. */
export async function startAttackedByKeys(): Promise<AttackedByKeys> {
  const file = createKeysFile([KEY])
  const service = await startAttackedService(DOCUMENTS, { KEYS_FILE: file.path, LOG_LEVEL: 'fatal' })

  async function until(holds: (problem: string) => boolean): Promise<string> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      // With the key that was good before: it stays good, whatever the file says.
      const { status, body } = await attack({ service, method: 'GET', path: '/api/status', headers: HEADERS })
      if (status !== 200) throw new Error(`the last good key is not one any more: ${JSON.stringify(body)}`)
      const problem = String(body.keys.problem ?? '')
      if (holds(problem)) return problem
      if (Date.now() > end) throw new Error(`nothing is said of the file: ${problem}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return {
    service,
    async mend() {
      file.write([KEY])
      await until((problem) => problem === '')
    },
    async write(row) {
      const text = row.text()
      return withGaps(service, async () => {
        file.writeText(text)
        return { problem: await until((problem) => problem !== '') }
      })
    },
    async stop() {
      const code = await service.stop()
      file.dispose()
      return code
    },
  }
}

/** What is wrong; undefined for nothing. */
export function mistakeOfKeys({ says }: KeysFileRow, problem: string): string | undefined {
  return says.test(problem) && problem.length < 2_000 ? undefined : problem.slice(0, 500)
}
