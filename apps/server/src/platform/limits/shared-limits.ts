/**
 * Limits that nodes count together in Redis: usage of rate limits, and cooldowns that they found. Never money. A node
 * without a response continues as a single one would: everything here may be lost.
 */

/** Tokens of a bucket as they are after taking. */
export interface BucketLevel {
  tokens: number;
  /** Milliseconds since the bucket was filled. */
  ageMs: number;
}

export interface BucketRequest {
  name: string;
  perMinute: number;
  /** Counts a fixed minute; else it fills evenly. */
  isWindow: boolean;
  capacity: number;
  /** Less than this must not be left. */
  needed: number;
  taken: number;
}

export interface BucketResult {
  levels: readonly BucketLevel[];
  /** Index of the want that could not be met, so that nothing was taken; its level is the last one. */
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

/** Limits that nodes share. An undefined response means that they are not shared at the moment. */
export interface SharedLimits {
  /** Undefined: this node was never to share. */
  readonly isUp: boolean | undefined;
  /** Takes all that is wanted, or nothing. */
  consumeBuckets(wants: readonly BucketRequest[]): Promise<BucketResult | undefined>;
  /** Takes what is missing, or gives back what is less than nothing, whatever there is. */
  adjustBuckets(wants: readonly Omit<BucketRequest, 'needed'>[]): void;
  /** @returns the name of what is full, if anything is */
  acquireConcurrencySlots(wants: readonly SlotRequest[]): Promise<{ full: string | undefined } | undefined>;
  /**
   * Reports the number of concurrency slots that this node uses. They expire once this node has been silent for a
   * while.
   */
  reportConcurrencySlots(seats: ReadonlyMap<string, number>): void;
  /** Sets the function that returns this node's concurrency slots, called whenever nodes share again. */
  setSlotSource(read: () => ReadonlyMap<string, number>): void;
  /** @param change 0 only looks */
  countInWindow(name: string, windowMs: number, change: 0 | 1 | -1): Promise<WindowCount | undefined>;
  resetWindow(name: string): void;
  /** A text that is true for a while, for every other node, and for those that join meanwhile. */
  publishText(text: string, forMs: number): void;
  /** All texts that begin so are not true any more. */
  withdrawTexts(beginning: string): void;
  /** @param listener with 0 for what begins so and is not true any more */
  subscribeToTexts(listener: (text: string, forMs: number) => void): void;
  close(): Promise<void>;
}

/** Limits of a node that shares none. */
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
