import type { TestProject } from 'vitest/node'

/** Gives the tests the server that `TEST_REDIS_URL` names; starts none. */
export default function setup(project: TestProject): void {
  const url = process.env['TEST_REDIS_URL']
  if (url === undefined || url === '') throw new Error('TEST_REDIS_URL names no server')
  project.provide('redisUrl', url)
}
