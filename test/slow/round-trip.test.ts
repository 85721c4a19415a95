import { describeRoundTrips } from '../support/round-trip-suite.js'

describeRoundTrips({ whole: 1_000, byCharacters: 300, cut: 40 })
