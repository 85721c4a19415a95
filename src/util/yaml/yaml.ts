import { lazyPackage } from '../packages/lazy-package.js'

/** YAML: seventy files, read with the first document that is YAML; a catalog in Redis has none. */
export const yaml = lazyPackage<typeof import('yaml')>('yaml')
