import type { Costs } from './costs.ts';

export const measuredCosts: Costs = {
  node: {
    requestMicros: 120,
    eventMicros: 23,
    commitMicros: 1_200,
    movementMicros: 20,
    baseBytes: 300e6,
    streamBytes: 16_800,
    connections: 24,
  },
  database: {
    commitMicros: 1_000,
    movementMicros: 20,
    roundTripsMs: 3,
    lastRoundTripsMs: 0.6,
    flushMs: 1,
    commitLogBytes: 600,
    requestLogBytes: 1_640,
    requestBytes: 2_000,
    idleNodeMicros: 10_000,
  },
  redis: { requestMicros: 25, scripts: 4 },
};
