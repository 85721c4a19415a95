import { ServiceError } from '../errors.js'
import type { AnsweringModel } from './model.js'

/** What a model that takes any name is asked for. */
const ANY_NAME = 'default'

/**
 * The name that a model is asked by: the given one, else the model's own.
 *
 * @throws ServiceError `invalid_config` where the model needs a name and none is given
 */
export function modelNameOf(model: AnsweringModel, given: string | undefined): string {
  const name = given ?? (model.defaultModel === undefined ? ANY_NAME : model.defaultModel)
  if (name !== null && name !== '') return name
  throw new ServiceError(
    'invalid_config',
    'Missing model: name one, as in { model: "gpt-4o-mini" }, or open the provider with openModel({ baseUrl, model })',
  )
}
