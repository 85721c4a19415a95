import { lazyPackage } from './lazy-package.js'

/** The validator that generates code: sixty files, read when the first query or settings file is checked. */
export const ajv = lazyPackage<typeof import('ajv')>('ajv')
