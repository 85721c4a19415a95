import { readFetch } from './read-fetch.js'
import { type ReadFile, readPackages } from './read-packages.js'

/** Reads the HTTP client in pieces, giving way to others: all calls of models, tools and webhooks are made by it. */
export async function readUndici(): Promise<void> {
  // It looks at the platform's own classes while it is read.
  await readFetch()
  await readPackages(['undici'], import.meta.url)
}

/**
 * Reads the HTTP client as {@link readUndici} does, but without the platform's own, which is one file that takes 12 ms and
 * more in one piece: only the HTTP client's cookies ask for its `Headers`, to accept them too. For a process that is the
 * service's alone and has no use for cookies.
 */
export async function readUndiciAlone(): Promise<void> {
  await readPackages(['undici'], import.meta.url, readWithoutPlatform)
}

const COOKIES = /[\\/]web[\\/]cookies[\\/]index\.js$/

const readWithoutPlatform: ReadFile = (read, file) => {
  const property = Object.getOwnPropertyDescriptor(globalThis, 'Headers')
  const isUnread = property?.get !== undefined
  if (!isUnread || !COOKIES.test(file)) return read()
  // Nothing else runs meanwhile.
  Object.defineProperty(globalThis, 'Headers', HIDDEN)
  try {
    read()
  } finally {
    Object.defineProperty(globalThis, 'Headers', property)
  }
}

const HIDDEN: PropertyDescriptor = { value: undefined, configurable: true }
