/**
 * Measured costs of the parts, on two cores of a shared machine under other load: CPU is one and a half times
 * to twice as much as on an idle one. docs/scaling.md names the run behind each.
 */
import type { Costs } from './costs.ts';

export const measuredCosts: Costs = {
  node: {
    requestMicros: 190,
    eventMicros: 23,
    commitMicros: 1_000,
    movementMicros: 22,
    baseBytes: 350e6,
    streamBytes: 16_800,
    connections: 25,
  },
  database: {
    commitMicros: 1_530,
    movementMicros: 34,
    roundTripsMs: 4.5,
    lastRoundTripsMs: 0.7,
    flushMs: 1,
    commitLogBytes: 600,
    requestLogBytes: 2_850,
    requestBytes: 1_000,
    idleNodeMicros: 6_000,
  },
  redis: { requestMicros: 40 },
};
