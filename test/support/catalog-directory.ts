import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A catalog directory of a test. */
export interface CatalogDirectory {
  readonly path: string
  /** Writes a document, `templates/a/b.json`: text as it is, anything else as JSON. */
  write(file: string, content: unknown): void
  remove(file: string): void
  /** Deletes the whole directory. */
  dispose(): void
}

/** Creates a catalog directory with these documents, by path. */
export function createCatalogDirectory(documents: Readonly<Record<string, unknown>> = {}): CatalogDirectory {
  const path = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-catalog-'))
  const write = (file: string, content: unknown) => {
    mkdirSync(join(path, dirname(file)), { recursive: true })
    writeFileSync(join(path, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  for (const kind of ['extensions', 'templates', 'environs', 'tools']) mkdirSync(join(path, kind))
  for (const [file, content] of Object.entries(documents)) write(file, content)
  return {
    path,
    write,
    remove: (file) => rmSync(join(path, file)),
    dispose: () => rmSync(path, { recursive: true, force: true }),
  }
}
