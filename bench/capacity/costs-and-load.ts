/** Costs of the parts of an installation, the measured ones, and its load and hardware. */

export interface NodeCosts {
  /** CPU of a request, without its commits. */
  requestMicros: number;
  /** CPU of one event of a stream that is passed through. */
  eventMicros: number;
  /** CPU of a commit, and of each movement in it. A request has two: its hold and its settlement. */
  commitMicros: number;
  movementMicros: number;
  /** Resident memory without streams, and for each open one. */
  baseBytes: number;
  streamBytes: number;
  connections: number;
}

export interface DatabaseCosts {
  /** CPU of a commit, and of each movement in it. */
  commitMicros: number;
  movementMicros: number;
  /** Waiting time of a commit that uses no CPU: its round trips over the network. */
  roundTripsMs: number;
  /** The part of it after the rows of its channels are locked. */
  lastRoundTripsMs: number;
  /** Time of writing the log to the disk; concurrent commits share it. */
  flushMs: number;
  /** Bytes of the log. */
  commitLogBytes: number;
  requestLogBytes: number;
  /** Stored for as long as the record of a request is kept, with its ledger entry, and all indexes. */
  requestBytes: number;
  /** CPU per second of an idle node. */
  idleNodeMicros: number;
}

export interface RedisCosts {
  /** CPU of a request whose token has limits. */
  requestMicros: number;
}

export interface Costs {
  node: NodeCosts;
  database: DatabaseCosts;
  redis: RedisCosts;
}

/**
 * Measured costs of the parts, on two cores of a shared machine under other load: CPU is one and a half times
 * to twice as much as on an idle one. docs/scaling.md names the run behind each.
 */
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

/** Load of the clients. */
export interface Load {
  requestsPerSecond: number;
  /** Share of streaming responses, their number of events, and their duration at the upstream. */
  streamShare: number;
  events: number;
  upstreamMs: number;
  /** Number of users; with exponent 1, the nth sends n times fewer requests than the first. */
  users: number;
  zipf: number;
  channels: number;
}

/** Hardware of the installation. */
export interface Installation {
  nodes: number;
  databaseCores: number;
  /** True if the load balancer sends all requests of a user to one node instead of any. */
  isByUser?: boolean;
}
