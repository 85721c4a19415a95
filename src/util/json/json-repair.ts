import { lazyPackage } from '../packages/lazy-package.js'

/** What mends a text that is nearly JSON; read when the first text needs it. */
export const jsonRepair = lazyPackage<typeof import('jsonrepair')>('jsonrepair')
