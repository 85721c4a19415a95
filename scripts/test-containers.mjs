// The suites of the store, of state and of the task queue against each server that people run: `npm run test:containers`.
// Starts an image at a time with testcontainers, which `test/containers` has a lock of its own for. Without a Docker
// daemon it says so in one line and ends with 0, or with 1 where TEST_CONTAINERS=required.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'test/containers')

export const IMAGES = ['redis:6.2-alpine', 'redis:7.4-alpine', 'redis:8-alpine', 'valkey/valkey:8-alpine']
const PORT = 6379

if (process.argv[1] === import.meta.filename) process.exitCode = await run()

/** @returns the exit code */
async function run() {
  if (!hasDaemon()) {
    console.log(
      'no Docker daemon: the store, state and queue suites against images of Redis and Valkey are left out',
    )
    return process.env['TEST_CONTAINERS'] === 'required' ? 1 : 0
  }
  const { GenericContainer, Wait } = await testcontainers()
  const failed = []
  for (const image of IMAGES) {
    const container = await new GenericContainer(image)
      .withExposedPorts(PORT)
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
      .start()
    try {
      console.log(`--- ${image}`)
      const url = `redis://${container.getHost()}:${container.getMappedPort(PORT)}`
      if (!passes(url)) failed.push(image)
    } finally {
      await container.stop()
    }
  }
  console.log(failed.length === 0 ? `passed on ${IMAGES.join(', ')}` : `failed on ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

function hasDaemon() {
  try {
    execFileSync('docker', ['version', '--format', '{{.Server.Version}}'], {
      stdio: 'ignore',
      timeout: 30_000,
    })
    return true
  } catch {
    return false
  }
}

async function testcontainers() {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  if (!existsSync(join(folder, 'node_modules')))
    execFileSync(npm, ['ci', '--ignore-scripts', '--prefix', folder], { stdio: 'inherit' })
  const path = createRequire(join(folder, 'package.json')).resolve('testcontainers')
  const { default: module } = await import(pathToFileURL(path).href)
  return module
}

function passes(url) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.containers.config.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_REDIS_URL: url },
  })
  return status === 0
}
