import type { FastifyInstance } from 'fastify'

/** A method and an address that a server has a route for, with `x` for every parameter. */
export interface ServedRoute {
  readonly method: string
  readonly url: string
}

/** All routes of a server, hidden ones too, as its router lists them. */
export function routesOf(server: FastifyInstance): readonly ServedRoute[] {
  const path: string[] = []
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', segment = '', methods = ''] = /^(.*?── )(\S+)(?: \((.*)\))?$/.exec(line) ?? []
      if (segment === '') return []
      path.length = indent.length / 4
      path[path.length - 1] = segment
      const url = `/${path.join('/')}`.replaceAll(/\/{2,}/g, '/').replaceAll(/:\w+|\*/g, 'x')
      return methods === '' ? [] : methods.split(', ').map((method) => ({ method, url }))
    })
}
