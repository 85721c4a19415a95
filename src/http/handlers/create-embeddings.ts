import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidField } from '../../util/errors/invalid-input.js'
import type { JsonObject } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import type { AnswerModel } from '../chat/answer-model.js'
import { AGENT_MODEL } from '../chat/call-of-model.js'
import { PROMPT_MODEL } from '../requests/prompt-reference.js'

/** Embeddings of the model's upstream: what it is asked and what it answers pass through unchanged. */
export function createEmbeddings({ answerModel }: { readonly answerModel: AnswerModel }) {
  return (request: FastifyRequest<{ Body: JsonObject }>, reply: FastifyReply): Promise<void> => {
    const { body } = request
    const model = textField(body, 'model') ?? ''
    if (model.startsWith(PROMPT_MODEL) || model.startsWith(AGENT_MODEL)) {
      throw invalidField('model', 'must be a model with embeddings: prompts and agents have none')
    }
    return answerModel({ request: { ...body, model }, endpoint: 'embeddings' }, {}, false, request, reply)
  }
}
