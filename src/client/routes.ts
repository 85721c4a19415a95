import type { Again } from './attempts.js'
import { type Method, pathOf, type Send } from './connect.js'

/** Makes methods of a client that do nothing but send one request. */
export type RouteMaker = ReturnType<typeof routesOver>

export function routesOver(send: Send) {
  /**
   * The method for a path: it takes a name for each `*`, then the query, or with a `method` the body, if it has one. Its
   * declaration says its type. A number in that place is the index that `names.map(client.versions)` gives along.
   */
  return <Arguments extends unknown[], Answer>(path: string, method?: Method, again?: Again) =>
    (...args: Arguments): Promise<Answer> => {
      const at = pathOf(path, args)
      const [content] = args
      return send(at, {
        method,
        again,
        ...(typeof content === 'object' && { [method ? 'body' : 'query']: content }),
      })
    }
}
