import { requiredPackage } from './required-package.js'

/** The library that writes the log. */
export const { pino } = requiredPackage<typeof import('pino')>('pino')
