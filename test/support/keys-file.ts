import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOfKey } from '../../src/access/key-ring.js'

/** An entry of a keys file, with the key itself in place of its hash. */
export type TestKey = {
  readonly name: string
  readonly key: string
  readonly scopes: readonly string[]
} & Readonly<Record<string, unknown>>

/** A keys file of a test. */
export interface TestKeysFile {
  readonly path: string
  /** Puts other keys in the place of all, as one file for another. */
  write(keys: readonly TestKey[]): void
  /** Writes any text into the file that is there. */
  writeText(text: string): void
  dispose(): void
}

/** Creates a keys file with these keys. */
export function createKeysFile(keys: readonly TestKey[]): TestKeysFile {
  const directory = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-keys-'))
  const path = join(directory, 'keys.yaml')
  const write = (all: readonly TestKey[]) => {
    writeFileSync(`${path}.new`, textOf(all))
    renameSync(`${path}.new`, path)
  }
  write(keys)
  return {
    path,
    write,
    writeText: (text) => writeFileSync(path, text),
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** The text of a file with these keys: JSON, which is YAML. */
export function textOf(keys: readonly TestKey[]): string {
  return JSON.stringify({ keys: keys.map(({ key, ...entry }) => ({ hash: hashOfKey(key), ...entry })) })
}
