/**
 * What nodes count together, in Redis: how far limits are used up, and which rests they found out about. Never money. A
 * node that has no answer goes on as one alone would: all that is here may be lost.
 */

/** Tokens of a bucket as they are after taking. */
export interface BucketLevel {
  tokens: number;
  /** How long ago it was filled. */
  ageMs: number;
}

export interface BucketWant {
  name: string;
  perMinute: number;
  /** Counts a fixed minute; else it fills evenly. */
  isWindow: boolean;
  capacity: number;
  /** Less than this must not be left. */
  needed: number;
  taken: number;
}

export interface SharedBuckets {
  levels: readonly BucketLevel[];
  /** Which want could not be had, so that nothing was taken; its level is the last one. */
  lacking: number | undefined;
}

export interface SeatWant {
  name: string;
  /** How many of this node there are with the new one. */
  own: number;
  limit: number;
}

export interface SharedWindow {
  count: number;
  /** How long ago it began. */
  ageMs: number;
}

/** Where an answer may be undefined, nobody shares at the moment. */
export interface SharedLimits {
  /** Undefined: this node was never to share. */
  readonly isUp: boolean | undefined;
  /** Takes all that is wanted, or nothing. */
  takeFromBuckets(wants: readonly BucketWant[]): Promise<SharedBuckets | undefined>;
  /** Takes what is missing, or gives back what is less than nothing, whatever there is. */
  correctBuckets(wants: readonly Omit<BucketWant, 'needed'>[]): void;
  /** @returns the name of what is full, if anything is */
  takeSeats(wants: readonly SeatWant[]): Promise<{ full: string | undefined } | undefined>;
  /** How many of this node there are. They are nobody's once this node has been silent for a while. */
  tellSeats(seats: ReadonlyMap<string, number>): void;
  /** Where those of this node can be read whenever nodes share again. */
  readSeatsFrom(read: () => ReadonlyMap<string, number>): void;
  /** @param change 0 only looks */
  countInWindow(name: string, windowMs: number, change: 0 | 1 | -1): Promise<SharedWindow | undefined>;
  forgetWindow(name: string): void;
  /** A text that is true for a while, for every other node, and for those that join meanwhile. */
  tell(text: string, forMs: number): void;
  /** All texts that begin so are not true any more. */
  untell(beginning: string): void;
  /** @param listener with 0 for what begins so and is not true any more */
  listen(listener: (text: string, forMs: number) => void): void;
  close(): Promise<void>;
}

/** Of a node that limits for itself. */
export const nothingShared: SharedLimits = {
  isUp: undefined,
  takeFromBuckets: () => Promise.resolve(undefined),
  correctBuckets() {},
  takeSeats: () => Promise.resolve(undefined),
  tellSeats() {},
  readSeatsFrom() {},
  countInWindow: () => Promise.resolve(undefined),
  forgetWindow() {},
  tell() {},
  untell() {},
  listen() {},
  close: () => Promise.resolve(),
};
