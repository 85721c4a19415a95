import { ErrorCodeShape } from './error-answers.js'
import { Type } from './type.js'

/** A failure as bodies and events carry it, beside the error bodies of requests that failed. */
export const Failure = Type.Object(
  {
    code: ErrorCodeShape,
    message: Type.String({ description: 'Human-readable' }),
  },
  { title: 'Failure', description: 'What went wrong' },
)
