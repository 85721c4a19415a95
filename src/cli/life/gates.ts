import type { Config } from '../../config.js'
import type { LabelGate } from '../../schema/config-file.js'

/** The gate of a label; undefined for a label that anybody with the right to write it may move. */
export function gateOf({ file }: Config, label: string): LabelGate | undefined {
  return Object.hasOwn(file.labels, label) ? file.labels[label] : undefined
}
