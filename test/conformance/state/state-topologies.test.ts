import { describeState } from './state-suite.js'

describeState('Cluster')
