import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import { LONG_FILES } from './test/support/long-files.js'
import whole from './vitest.config.js'

/** What `npm test` runs: all but the files that take long, which `npm run test:slow` has. */
export default defineConfig((environment) =>
  mergeConfig(whole(environment), { test: { exclude: [...configDefaults.exclude, ...LONG_FILES] } }),
)
