import { describeState } from '../conformance/state/state-suite.js'

describeState('Sentinel')
