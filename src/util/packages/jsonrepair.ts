import { lazyPackage } from './lazy-package.js'

/** The library that repairs text that is almost JSON; loaded when first needed. */
export const jsonRepair = lazyPackage<typeof import('jsonrepair')>('jsonrepair')
