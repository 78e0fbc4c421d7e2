import type { TaskAccount } from '../tasks/tasks.ts';
import type { BatchRow } from './batch-store.ts';
import type { UserConcurrencyLimiter } from './claim-batches.ts';

export interface LineRequest {
  requestId: string;
  body: Buffer;
  /** It was charged before, and its answer was lost. */
  isPaid: boolean;
  /** Response of the vendor that ran the batch. */
  vendorResponse?: { status: number; body: Buffer } | undefined;
}

export interface LineResponse {
  status: number;
  /** Seconds that the gateway asks to wait before a retry; 0: it says nothing. */
  retryAfterSeconds: number;
  body: Buffer;
}

/** Calls of a batch to the relay, made on behalf of its owner, who pays. */
export interface BatchRelay {
  /** @throws when there is no answer */
  sendRequest(batch: BatchRow, asked: LineRequest): Promise<LineResponse>;
  /** Returns the account that would serve the request, where its vendor runs batches itself. */
  selectVendor(batch: BatchRow, body: Buffer): VendorAccount | 'unreadable' | undefined;
  /** Checks and holds a line for the vendor, whose words it says. What is held lasts until it is asked, or released. */
  prepareLine(batch: BatchRow, asked: Pick<LineRequest, 'requestId' | 'body'>): Promise<PreparedLine>;
  release(requestId: string): Promise<void>;
  /** @throws when the account is gone */
  findAccount(batch: Pick<BatchRow, 'channel_id' | 'channel_key_id'>): Promise<TaskAccount>;
}

interface VendorAccount {
  channelId: number;
  keyId: string;
  groupSymbol: string;
}

export type PreparedLine = { url: string; body: unknown } | { refusal: LineResponse };

export interface BatchRun {
  relay: BatchRelay;
  concurrencyLimiter: UserConcurrencyLimiter;
  /** Nobody wants more answers. */
  cancelled: AbortSignal;
  /** The process ends; another one goes on. */
  stopped: AbortSignal;
  /** Returns false as soon as another node may run the batch, also right after a pause of this process. */
  ownsLease(): boolean;
}
