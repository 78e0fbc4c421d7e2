/** Costs of the parts of an installation; `measured-costs.ts` has measured ones. */

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
