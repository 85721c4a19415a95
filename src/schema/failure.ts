import { Type } from './type.js'

/** A failure as bodies and events carry it, beside the error bodies of requests that failed. */
export const Failure = Type.Object(
  {
    code: Type.String({ description: 'Stable name to branch on; docs/errors.md lists them all' }),
    message: Type.String(),
  },
  { title: 'Failure' },
)
