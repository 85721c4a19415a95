import type { App, AppOverrides } from '../../src/app.js'
import { buildTestApp } from './build-test-app.js'
import { type CatalogDirectory, createCatalogDirectory } from './catalog-directory.js'

/** The service over a catalog of a test, asked without a socket. */
export interface TestApp {
  readonly app: App
  readonly catalog: CatalogDirectory
  get(url: string): Promise<{ readonly status: number; readonly body: Json }>
  post(url: string, body: unknown): Promise<{ readonly status: number; readonly body: Json }>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong field fails the test
export type Json = any

/** Builds the service over these documents. */
export async function startTestApp(
  documents: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string>> = {},
  overrides: AppOverrides = {},
): Promise<TestApp> {
  const catalog = createCatalogDirectory(documents)
  const app = await buildTestApp({ CATALOG_DIR: catalog.path, ...environment }, overrides)
  return {
    app,
    catalog,
    async get(url) {
      const response = await app.server.inject(url)
      return { status: response.statusCode, body: JSON.parse(response.body) }
    },
    async post(url, body) {
      const payload = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { 'content-type': 'application/json' }
      const response = await app.server.inject({ method: 'POST', url, headers, payload })
      return { status: response.statusCode, body: JSON.parse(response.body) }
    },
    async close() {
      await app.close()
      catalog.dispose()
    },
  }
}
