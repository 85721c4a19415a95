import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    redisUrl: string
  }
}

/** Starts what every test run shares; returns the function that ends it. */
export default async function setup(_project: TestProject): Promise<void> {}
