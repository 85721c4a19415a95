import { describeChain } from './response-chain-suite.js'

describeChain('memory')
describeChain('Redis')
