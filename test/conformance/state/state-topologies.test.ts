import { describeState } from './state-suite.js'

describeState('Sentinel')
describeState('Cluster')
