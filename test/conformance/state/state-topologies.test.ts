import { describeChain } from './response-chain-suite.js'
import { describeState } from './state-suite.js'

describeState('Cluster')
describeChain('Cluster')
