import type { ProtocolChoice } from '../schema/protocol-id.js'
import { FAMILIES, type TextProtocolId } from './families/families.js'
import { PROTOCOL_IDS, type ProtocolId } from './protocol.js'

const TEXT_IDS = Object.keys(FAMILIES).flatMap(
  (name) => PROTOCOL_IDS.find((id): id is TextProtocolId => id === name && id !== 'native') ?? [],
)

/** No model has a longer name; what follows is not looked at. */
const MAX_NAME = 200

/** The family that a model's name says it is of, such as `qwen3:8b` or `openai/gpt-oss-20b`; undefined where it says nothing. */
export function familyOfModel(model: string): TextProtocolId | undefined {
  const name = model.slice(0, MAX_NAME).toLowerCase()
  return TEXT_IDS.find((id) => FAMILIES[id].models.test(name))
}

/** The protocol that is meant for a model: `auto` goes by its name, and is `native` where the name says nothing. */
export function protocolOfModel(choice: ProtocolChoice, model: string): ProtocolId {
  return choice === 'auto' ? (familyOfModel(model) ?? 'native') : choice
}
