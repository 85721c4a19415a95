import { describeState } from './state-suite.js'

describeState('memory')
describeState('Redis')
