import { readFetch } from './read-fetch.js'
import { readPackages } from './read-packages.js'

/** Reads the HTTP client in pieces, giving way to others: all calls of models, tools and webhooks are made by it. */
export async function readUndici(): Promise<void> {
  // It looks at the platform's own classes while it is read.
  await readFetch()
  await readPackages(['undici'], import.meta.url)
}
