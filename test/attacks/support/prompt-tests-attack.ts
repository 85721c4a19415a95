import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import type { PromptTestsRow } from '../tables/prompt-tests.js'
import { type AttackedService, type AttackResult, attack, startAttackedService } from './attack.js'

/** The built service over a directory in which others write tests. */
export interface AttackedByTests {
  readonly service: AttackedService
  /** Writes the files of a row in place of those before. */
  write(row: PromptTestsRow): void
  /** Asks for the tests of the prompt. */
  ask(): Promise<AttackResult>
  /** The exit code. */
  stop(): Promise<number | null>
}

/** Starts it. */
export async function startAttackedByTests(): Promise<AttackedByTests> {
  const catalog = createCatalogDirectory({ 'templates/a/hello.json': { userPrompt: 'Hello' } })
  const service = await startAttackedService({}, { CATALOG_DIR: catalog.path, LOG_LEVEL: 'fatal' })
  let written: readonly string[] = []
  return {
    service,
    write({ files }) {
      written = replaced(catalog, written, files())
    },
    ask: () => attack({ service, method: 'GET', path: '/api/prompts/a.hello/tests' }),
    async stop() {
      const code = await service.stop()
      catalog.dispose()
      return code
    },
  }
}

/** @returns what is written now */
function replaced(
  catalog: CatalogDirectory,
  before: readonly string[],
  files: Readonly<Record<string, string>>,
): readonly string[] {
  for (const file of before) catalog.remove(file)
  const now = Object.entries(files).map(([file, text]) => [`tests/${file}`, text] as const)
  for (const [file, text] of now) catalog.write(file, text)
  return now.map(([file]) => file)
}

/** What is wrong; undefined for nothing. */
export function mistakeOfTests({ says }: PromptTestsRow, { status, body }: AttackResult): string | undefined {
  const text = JSON.stringify(body)
  return status === 200 && says.test(text) ? undefined : `${status} ${text.slice(0, 500)}`
}
