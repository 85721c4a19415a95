import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import { runNow } from '../../util/slices/sliced.js'
import { readYaml } from '../../util/yaml/read-yaml.js'

const MAX_DEPTH = 100

/** YAML as a value. @throws YamlError */
export function yamlOf(text: string) {
  return runNow(readYaml(text, MAX_DEPTH)).value
}

/** The YAML between the first two lines of dashes, and what follows. @throws YamlError */
export function frontMatter(text: string): { readonly head: JsonObject; readonly body: string } {
  const [, yaml, body] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? []
  if (yaml === undefined) return { head: {}, body: text }
  const head = yamlOf(yaml)
  return { head: isJsonObject(head) ? head : {}, body: body ?? '' }
}
