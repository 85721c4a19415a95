import { closedObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const subject = {
  request_id: optional.text('`x-request-id` of the answer that is judged', { minLength: 1, maxLength: 128 }),
  prompt: optional.text('The prompt that answered; its id may name a version or a label', {
    minLength: 1,
    maxLength: 2_048,
  }),
  version: optional.integer('`x-prompt-version` of the answer', { minimum: 1, maximum: 999_999_999 }),
}

const judgement = {
  name: Type.String({
    pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$',
    description: 'What is judged, such as `helpful`',
  }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'From 0 to 1; for a thumb 0 or 1' }),
}

/** Body of `POST /api/feedback`: a rating of an answer, by its request or by its prompt. */
export const FeedbackBody = closedObject(
  { ...subject, ...judgement },
  { title: 'FeedbackBody', examples: [{ prompt: 'review.commit_message', name: 'helpful', score: 1 }] },
)
export type FeedbackBody = Static<typeof FeedbackBody>

/** Answer of `POST /api/feedback`: what was counted. */
export const FeedbackAnswer = Type.Object(
  { ...subject, ...judgement, label: optional.text('The label, where the id names one') },
  {
    additionalProperties: true,
    title: 'FeedbackAnswer',
    examples: [{ prompt: 'review.commit_message', name: 'helpful', score: 1 }],
  },
)
export type FeedbackAnswer = Static<typeof FeedbackAnswer>
