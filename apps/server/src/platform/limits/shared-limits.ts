/**
 * Limits that nodes count together in Redis: rate-limit usage, and cooldowns. Never money. A node without a response
 * continues on its own: everything here may be lost.
 */

/** Level of a bucket after taking. */
export interface BucketLevel {
  tokens: number;
  /** Milliseconds since the bucket was filled. */
  ageMs: number;
}

export interface BucketRequest {
  name: string;
  perMinute: number;
  /** True for a fixed window of a minute; otherwise it refills evenly. */
  isWindow: boolean;
  capacity: number;
  /** Minimum tokens that must be present. */
  needed: number;
  taken: number;
}

export interface BucketResult {
  levels: readonly BucketLevel[];
  /** Index of the insufficient bucket, whose level is the last one; then nothing was taken. */
  insufficientIndex: number | undefined;
}

export interface SlotRequest {
  name: string;
  /** Number of concurrency slots that this node uses, including the new one. */
  usedSlots: number;
  limit: number;
}

export interface WindowCount {
  count: number;
  /** Milliseconds since the window began. */
  ageMs: number;
}

/** Shared limits. An undefined response means that they are not shared at the moment. */
export interface SharedLimits {
  /** Undefined on a node that never shares. */
  readonly isUp: boolean | undefined;
  /** Takes from all buckets, or from none. */
  consumeBuckets(wants: readonly BucketRequest[]): Promise<BucketResult | undefined>;
  /** Applies a correction, positive or negative, regardless of the current level. */
  adjustBuckets(wants: readonly Omit<BucketRequest, 'needed'>[]): void;
  /** @returns the name of the reached limit, if any */
  acquireConcurrencySlots(wants: readonly SlotRequest[]): Promise<{ full: string | undefined } | undefined>;
  /**
   * Reports the number of concurrency slots that this node uses. They expire once this node has been silent for a
   * while.
   */
  reportConcurrencySlots(used: ReadonlyMap<string, number>): void;
  /** Sets the function that returns this node's concurrency slots, called whenever sharing resumes. */
  setSlotSource(read: () => ReadonlyMap<string, number>): void;
  /** @param change 0 to read only */
  countInWindow(name: string, windowMs: number, change: 0 | 1 | -1): Promise<WindowCount | undefined>;
  resetWindow(name: string): void;
  /** Publishes a text that is valid for a while, to all other nodes, including ones that join later. */
  publishText(text: string, forMs: number): void;
  /** Withdraws all texts with this prefix. */
  withdrawTexts(beginning: string): void;
  /** @param listener called with 0 for the prefix of withdrawn texts */
  subscribeToTexts(listener: (text: string, forMs: number) => void): void;
  close(): Promise<void>;
}

/** Limits of a node that does not share. */
export const unsharedLimits: SharedLimits = {
  isUp: undefined,
  consumeBuckets: () => Promise.resolve(undefined),
  adjustBuckets() {},
  acquireConcurrencySlots: () => Promise.resolve(undefined),
  reportConcurrencySlots() {},
  setSlotSource() {},
  countInWindow: () => Promise.resolve(undefined),
  resetWindow() {},
  publishText() {},
  withdrawTexts() {},
  subscribeToTexts() {},
  close: () => Promise.resolve(),
};
