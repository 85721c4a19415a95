import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those of pure files: what they take is work. */
const RECKONS = /\/test\/unit\/(?!package\/)/

/** Begins with tests that wait for processes, leases and browsers, so that those which only reckon fill the time between. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const reckons = ({ moduleId }: TestSpecification) => RECKONS.test(moduleId)
    return [...sorted.filter((file) => !reckons(file)), ...sorted.filter(reckons)]
  }
}
