import { looseObject } from './any-object.js'
import { optional } from './optional.js'
import { PromptDocument } from './prompt.js'
import { type Static, type TSchema, Type } from './type.js'

const text = Type.Optional(Type.String())

const Engine = Type.Object(
  { name: text, version: text },
  {
    additionalProperties: true,
    description: 'Versions of this service it was written for; another version is a warning',
  },
)

const Dependence = looseObject({
  name: Type.String({ minLength: 1 }),
  version: text,
  failStrategy: Type.Optional(Type.Enum(['abort', 'ignore'])),
})

function extension(prompt: TSchema) {
  return looseObject({
    name: Type.String({ minLength: 1, description: 'The first part of the ids of its prompts' }),
    publisher: optional.text('Publisher'),
    displayName: optional.text('Human-readable name'),
    icon: optional.text('URL of an image'),
    description: optional.text('What it is for'),
    version: optional.text('Such as `1.2.0`'),
    extensionType: optional.text('Only extensions of type `prompt` are served'),
    license: optional.text('Such as `Apache-2.0`'),
    engines: Type.Optional(Engine),
    contributes: Type.Optional(
      Type.Object(
        {
          prompts: Type.Optional(Type.Array(prompt)),
          languages: Type.Optional(Type.Array(Type.String())),
          dependences: Type.Optional(Type.Array(Dependence)),
        },
        {
          additionalProperties: true,
          description:
            '`prompts`, `languages`, and `dependences`, each with `failStrategy` `abort` or `ignore`',
        },
      ),
    ),
  })
}

/** A prompt extension as its publisher writes it. */
export const ExtensionDocument = extension(
  Type.Intersect([PromptDocument, Type.Object({ name: Type.String({ minLength: 1 }) })]),
)

/** The frame of an extension: its prompts are checked one by one, so that a bad one leaves the others alone. */
export const ExtensionFrame = extension(Type.Unknown())
export type ExtensionFrame = Static<typeof ExtensionFrame>
