import Type, { type Static } from 'typebox'
import { PromptDocument } from './prompt.js'

const text = Type.Optional(Type.String())

const Engine = Type.Object({ name: text, version: text }, { additionalProperties: true })

const Dependence = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    version: text,
    failStrategy: Type.Optional(Type.Enum(['abort', 'ignore'])),
  },
  { additionalProperties: true },
)

function extension(prompt: Type.TSchema) {
  return Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      publisher: text,
      displayName: text,
      icon: text,
      description: text,
      version: text,
      extensionType: Type.Optional(
        Type.String({ description: 'Only extensions of type `prompt` are served' }),
      ),
      license: text,
      engines: Type.Optional(Engine),
      contributes: Type.Optional(
        Type.Object(
          {
            prompts: Type.Optional(Type.Array(prompt)),
            languages: Type.Optional(Type.Array(Type.String())),
            dependences: Type.Optional(Type.Array(Dependence)),
          },
          { additionalProperties: true },
        ),
      ),
    },
    { additionalProperties: true },
  )
}

/** A prompt extension as its publisher writes it. */
export const ExtensionDocument = extension(
  Type.Intersect([PromptDocument, Type.Object({ name: Type.String({ minLength: 1 }) })]),
)

/** The frame of an extension: its prompts are checked one by one, so that a bad one leaves the others alone. */
export const ExtensionFrame = extension(Type.Unknown())
export type ExtensionFrame = Static<typeof ExtensionFrame>
