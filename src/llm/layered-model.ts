import type { AnsweringModel } from './model.js'
import type { RoutedModel } from './router.js'

/** A routed model that answers through the layers around it; whatever else is asked of it, its routes know. */
export function createLayeredModel(routed: RoutedModel, layers: AnsweringModel): RoutedModel {
  return {
    complete: (request, options) => layers.complete(request, options),
    stream: (request, options) => layers.stream(request, options),
    supportsResponses: (name) => routed.supportsResponses(name),
    list: () => routed.list(),
    listMore: async () => (await routed.listMore?.()) ?? [],
    status: () => routed.status(),
    close: () => routed.close(),
  }
}
