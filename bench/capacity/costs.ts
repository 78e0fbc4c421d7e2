/** What an installation is made of, as costs: `measured-costs.ts` has those that were measured. */

export interface NodeCosts {
  /** CPU of a request without what its commits cost the node. */
  requestMicros: number;
  /** CPU of one event of a stream that passes through. */
  eventMicros: number;
  /** CPU of a commit, and of each movement in it. A request has two: it is held, and it is settled. */
  commitMicros: number;
  movementMicros: number;
  /** Resident without a stream, and for each one that is open. */
  baseBytes: number;
  streamBytes: number;
  connections: number;
}

export interface DatabaseCosts {
  /** CPU of a commit, and of each movement in it. */
  commitMicros: number;
  movementMicros: number;
  /** What a commit waits for that is nobody's CPU: its round trips over the network. */
  roundTripsMs: number;
  /** Of those, what comes after the rows of its channels are locked. */
  lastRoundTripsMs: number;
  /** The log is on the disk; who waits for it at the same time shares it. */
  flushMs: number;
  /** Bytes of the log. */
  commitLogBytes: number;
  requestLogBytes: number;
  /** On the disk for as long as the record of a request is kept, with its ledger entry, and all indexes. */
  requestBytes: number;
  /** CPU in each second for a node that nobody asks anything. */
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

/** What clients want. */
export interface Load {
  requestsPerSecond: number;
  /** Share of requests whose answers are streams, how many events one has, and how long one lasts at the upstream. */
  streamShare: number;
  events: number;
  upstreamMs: number;
  /** How many users there are; of two the nth asks n times as rarely where the exponent is 1. */
  users: number;
  zipf: number;
  channels: number;
}

/** What they get it from. */
export interface Installation {
  nodes: number;
  databaseCores: number;
  /** The balancer sends all requests of a user to one node, and not each to any. */
  isByUser?: boolean;
}
