import type { Config } from '../../config.js'

/** What a label's releases need before the service serves them. */
export interface Gate {
  /** How many different signers. */
  readonly required: number
  /** Public keys by the signer's name. */
  readonly signers: Readonly<Record<string, readonly string[]>>
  /** Names the installation that the signatures are for. */
  readonly audience: string
}

/** The gate of a label; undefined for a label that anybody with the right to write it may move. */
export function gateOf(_config: Config, _label: string): Gate | undefined {
  return undefined
}
