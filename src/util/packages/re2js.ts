import { lazyPackage } from './lazy-package.js'

/** Regular expressions of linear time: a quarter of a megabyte of code, read when the first one is compiled. */
export const re2js = lazyPackage<typeof import('re2js')>('re2js')
