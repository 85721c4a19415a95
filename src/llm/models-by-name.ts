import { ServiceError } from '../errors.js'
import type { AnsweringModel, ModelRequest } from './model.js'
import { modelNameOf } from './model-name.js'

/**
 * Several models as one, chosen by the beginning of a name: `local/qwen3` asks the model `local` for `qwen3`, and `local`
 * alone for its own default. Names of no provider go to the first.
 *
 * @throws ServiceError `invalid_config` for no models, and for a name with a slash
 */
export function modelsByName(models: Readonly<Record<string, AnsweringModel>>): AnsweringModel {
  const byName = new Map(Object.entries(models))
  const [first] = byName.values()
  if (first === undefined)
    throw new ServiceError(
      'invalid_config',
      'At least one model is needed, as in modelsByName({ local: model })',
    )
  for (const name of byName.keys()) {
    if (name.includes('/') || name === '')
      throw new ServiceError(
        'invalid_config',
        `A model cannot be named "${name}": use a name without a slash`,
      )
  }

  const targetOf = (request: ModelRequest): readonly [AnsweringModel, ModelRequest] => {
    const slash = request.model.indexOf('/')
    const prefix = slash === -1 ? request.model : request.model.slice(0, slash)
    const model = byName.get(prefix)
    if (model === undefined) return [first, request]
    const name = slash === -1 ? modelNameOf(model, undefined) : request.model.slice(slash + 1)
    return [model, { ...request, model: name }]
  }

  return {
    ...(first.defaultModel !== undefined && { defaultModel: first.defaultModel }),
    complete: async (request, options) => {
      const [model, asked] = targetOf(request)
      return model.complete(asked, options)
    },
    stream: async (request, options) => {
      const [model, asked] = targetOf(request)
      return model.stream(asked, options)
    },
  }
}
