import type { PriceRule, Ratios } from '../ledger/ledger.ts';
import type { TaskAccount } from '../tasks/tasks.ts';
import type { BatchRow } from './batch-store.ts';
import type { UserConcurrencyLimiter } from './claim-batches.ts';

export interface LineRequest {
  requestId: string;
  body: Buffer;
  /** True if it was charged earlier, and its response was lost. */
  isPaid: boolean;
  /** Response of the vendor that ran the batch. */
  vendorResponse?: { status: number; body: Buffer } | undefined;
  /** Stores a large body piece by piece; the response's body is then empty. */
  storeLargeBody?: (body: LargeBody) => Promise<void>;
}

/** Body of a response that is too large to be handled at once. */
export interface LargeBody {
  isJson: boolean;
  pieces: AsyncIterable<Buffer>;
  status: number;
}

export interface LineResponse {
  status: number;
  /** Seconds of the gateway's `Retry-After`; 0 without one. */
  retryAfterSeconds: number;
  body: Buffer;
}

/** Requests of a batch to the relay on behalf of its owner, who pays. */
export interface BatchRelay {
  /** @throws when there is no response */
  sendRequest(batch: BatchRow, asked: LineRequest): Promise<LineResponse>;
  /** Returns the account that would serve the request, if its vendor runs batches. */
  selectVendor(batch: BatchRow, body: Buffer): VendorAccount | 'unreadable' | undefined;
  /**
   * Checks a line, holds its funds and translates it for the vendor. The hold lasts until the line is sent, or
   * released.
   */
  prepareLine(batch: BatchRow, asked: Pick<LineRequest, 'requestId' | 'body'>): Promise<PreparedLine>;
  release(requestId: string): Promise<void>;
  /** Runs synchronous work that takes long for a user so that other requests are not delayed. */
  runPaced<T>(userId: number, work: () => T): Promise<T>;
  /** @throws when the account is gone */
  findAccount(batch: Pick<BatchRow, 'channel_id' | 'channel_key_id'>): Promise<TaskAccount>;
}

interface VendorAccount {
  channelId: number;
  keyId: string;
  groupSymbol: string;
  price: LinePrice;
}

/** Price of the lines of a batch that its vendor runs. */
export interface LinePrice {
  rule: PriceRule;
  ratios: Ratios;
}

/** Request of a line as the vendor gets it, with its body as JSON. */
export type PreparedLine = { url: string; body: string } | { refusal: LineResponse };

export interface BatchRun {
  relay: BatchRelay;
  /** Limits a user's concurrent requests. A long line is only in memory while its request has a place. */
  concurrencyLimiter: UserConcurrencyLimiter;
  /** Lets one of a user's batches at a time read or write a whole file, for which it may need much memory. */
  fileLimiter: UserConcurrencyLimiter;
  /** Lets one of a user's batches at a time collect its vendor's responses: gigabytes on disk, and an index. */
  collectionLimiter: UserConcurrencyLimiter;
  /** Aborted when the batch is cancelled. */
  cancelled: AbortSignal;
  /** Aborted when this process shuts down; another process resumes the batch. */
  stopped: AbortSignal;
  /** Returns false as soon as another node may run the batch, also right after a suspension of this process. */
  ownsLease(): boolean;
}
