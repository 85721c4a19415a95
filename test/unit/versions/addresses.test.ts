import { describe, expect, it } from 'vitest'
import {
  historyAddress,
  lifeKey,
  proposalAddress,
  readLabelPath,
  readVersionPath,
  releaseAddress,
  versionAddress,
} from '../../../src/versions/addresses.js'

const path = ['review', 'code_review']

describe('addresses', () => {
  it.each([
    [versionAddress('templates', path, 8), 'templates:review:code_review@8'],
    [versionAddress('agents', ['helper'], 8), 'agents:helper@8'],
    [releaseAddress('templates', path, 'production'), 'releases:review:code_review:production'],
    [releaseAddress('agents', path, 'production'), 'agent-releases:review:code_review:production'],
    [proposalAddress('templates', path, 'v1.2'), 'proposals:review:code_review:v1.2'],
    [historyAddress('agents', path), 'agent-history:review:code_review'],
  ])('are keys', (address, key) => expect(lifeKey(address)).toBe(key))

  it.each([
    [['review', 'code_review@8'], { path, number: 8 }],
    [['a@1', 'b@2@3'], { path: ['a@1', 'b@2'], number: 3 }],
    [['review', 'code_review'], undefined],
    [['review', '@8'], undefined],
    [['review', 'code_review@production'], undefined],
    [['review@8', 'code_review'], undefined],
  ])('tell versions: %j', (parts, expected) => expect(readVersionPath(parts)).toEqual(expected))

  it.each([
    [['review', 'code_review', 'production'], { path, label: 'production' }],
    [['helper', 'staging'], { path: ['helper'], label: 'staging' }],
    [['production'], undefined],
    [['review', 'code_review', '8'], undefined],
    [['review', 'code_review', 'Production'], undefined],
  ])('tell labels: %j', (parts, expected) => expect(readLabelPath(parts)).toEqual(expected))
})
