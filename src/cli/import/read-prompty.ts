import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import { frontMatter } from './front-matter.js'
import { type ForeignMessage, type Imported, type ImportSource, toImported } from './imported.js'

const ROLE_LINE = /^[ \t]*(system|developer|user|assistant):[ \t]*$/gim
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['name', 'description', 'model', 'inputs', 'sample', 'template', '$schema'],
])

/** A `.prompty` file. @throws YamlError */
export function readPrompty({ text, stem }: ImportSource): readonly Imported[] {
  const { head, body } = frontMatter(text)
  const model = objectField(head, 'model')
  const configuration = objectField(model, 'configuration')
  const parameters = own(model, 'parameters') ?? own(model, 'options')
  const deployment = textField(configuration, 'azure_deployment') ?? textField(configuration, 'model')
  const sample = objectField(head, 'sample')
  const others = Object.keys(head).filter((name) => !KNOWN_FIELDS.has(name))
  return [
    toImported({
      name: textField(head, 'name') ?? stem,
      body: messagesIn(body),
      properties: propertiesIn(objectField(head, 'inputs')),
      fields: {
        description: textField(head, 'description'),
        model: textField(model, 'id') ?? (deployment?.includes('${') ? undefined : deployment),
        options: isJsonObject(parameters ?? null) ? parameters : undefined,
        examples: Object.keys(sample).length === 0 ? undefined : { sample },
      },
      notes: [
        ...(Object.keys(configuration).length === 0
          ? []
          : ['model.configuration is not carried: write the server as an upstream in CONFIG_FILE']),
        ...others.map((name) => `${name} is not carried`),
      ],
    }),
  ]
}

/** `system:` and the like on a line of their own begin a message; a body without any is one text. */
function messagesIn(body: string): string | readonly ForeignMessage[] {
  const parts = body.split(ROLE_LINE)
  if (parts.length === 1) return body.trim()
  const messages: ForeignMessage[] = []
  for (let index = 1; index < parts.length; index += 2)
    messages.push({ speaker: (parts[index] ?? '').toLowerCase(), text: (parts[index + 1] ?? '').trim() })
  return messages.filter(({ text }) => text !== '')
}

/** `name: {type, description, default}`, or `name: value`, which is the default. */
function propertiesIn(inputs: JsonObject): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      if (!isJsonObject(value)) return [name, { default: value }]
      const kept = ['type', 'description', 'default'].flatMap((field) => {
        const found = own(value, field)
        return found === undefined ? [] : [[field, found] as const]
      })
      return [name, Object.fromEntries(kept)]
    }),
  )
}
