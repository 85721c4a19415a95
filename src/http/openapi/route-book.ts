import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { JsonObject } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { fastify } from '../../util/packages/fastify.js'
import { readPackages } from '../../util/packages/read-packages.js'
import { createSlicer } from '../../util/slices/pause.js'
import { createCompilers } from '../requests/validation.js'
import { type NamedShapes, withReferences } from './name-shapes.js'

/** What the routes of a server say of themselves, as an OpenAPI document. */
export interface RouteBook {
  /** Anybody who asks pays for it: it takes longer than many a start may. */
  describe(): Promise<JsonObject>
}

/** Notes the routes of a server. To be called before they are added. */
export function createRouteBook(server: FastifyInstance, options: FastifyDynamicSwaggerOptions): RouteBook {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && route.schema?.hide !== true) routes.push(route)
  })
  return { describe: () => describe(server, routes, options) }
}

/** Adds the routes, without what they do, to a server of its own that nobody reaches. */
async function describe(
  server: FastifyInstance,
  routes: readonly RouteOptions[],
  options: FastifyDynamicSwaggerOptions,
): Promise<JsonObject> {
  await readPackages(['@fastify/swagger'], import.meta.url)
  const { default: swagger } = await import('@fastify/swagger')
  const copy = fastify({ schemaController: { compilersFactory: createCompilers() }, exposeHeadRoutes: false })
  const slicer = createSlicer()
  try {
    await copy.register(swagger, options)
    const shapes: NamedShapes = new Map()
    for (const schema of Object.values(server.getSchemas())) {
      copy.addSchema(withReferences(jsonObject(schema), shapes))
    }
    const described = routes.map(({ method, url, schema = {} }) => {
      return { method, url, schema: withReferences(jsonObject(schema), shapes), handler: nothing }
    })
    for (const shape of shapes.values()) copy.addSchema(shape)
    for (const route of described) {
      copy.route({ ...route, schema: jsonObject(route.schema) })
      await slicer.turn()
    }
    await copy.ready()
    return jsonObject(copy.swagger())
  } finally {
    await copy.close()
  }
}

function nothing(): void {}
