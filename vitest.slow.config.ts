import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** Tests that take minutes: everything with everything. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({ test: { include: ['test/slow/**/*.test.ts'], maxWorkers: 1 } }),
)
