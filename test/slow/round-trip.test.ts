import { describeRoundTrips } from '../support/round-trip-suite.js'

describeRoundTrips({ whole: 1_000, byCharacters: 1_000, cut: 1_000 })
