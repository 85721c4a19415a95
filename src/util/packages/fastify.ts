import { requiredPackage } from './required-package.js'

/** The HTTP framework. */
export const { fastify, LogController } = requiredPackage<typeof import('fastify')>('fastify')
