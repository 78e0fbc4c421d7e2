import { type AcceptedTask, type Meter, type TimedPhase, UpstreamError, type UpstreamTimeout } from '@switchyard/relay';
import type { LastBytes } from './response-flow.ts';

/** End of an attempt: `answered` completely, `failed` at the upstream, or `left` by the client. */
export type AttemptEnd =
  | { outcome: 'answered'; last: LastBytes }
  | { outcome: 'failed'; error: UpstreamError }
  | { outcome: 'left' };

export type AttemptResult = AttemptEnd & {
  /** HTTP status; 0 without a response. */
  status: number;
  /**
   * True if the client, or the gateway for another reason than its own shutdown, ended the call after it was sent, or
   * if the gateway or the vendor refuses it: the vendor may bill it all the same.
   */
  mayBeBilled?: boolean;
  /** True if the channel fails for this user's requests and serves others, or rejects a part of the request. */
  isUsersFault?: boolean;
  /** Calls of a joined request that were answered before another one failed; absent without any. */
  unpaidCalls?: number;
  /** True if the model may generate output that it doesn't show, so that a silent stream may cost. */
  isSilentWork?: boolean;
  /** Undefined without a 2xx response. */
  meter: Meter | undefined;
  /** True if the client has received a part of the stream. */
  isDelivered: boolean;
  /** UTC ms of the first content; 0 without content. */
  firstContentAt: number;
  /** Fields of the response that the client's dialect doesn't support. */
  unsupportedFields: readonly string[];
  /** Task submission that the provider has accepted. */
  acceptedTask?: AcceptedTask | undefined;
};

const refusedOutputs: ReadonlySet<string> = new Set(['malformed_call', 'invalid_output']);

/**
 * Returns whether a response is refused for what the model wrote, which the request influences: too much, an invalid
 * tool call, or nothing usable. The channel is not at fault.
 */
export function isOutputRefused({ isTooLarge, code, status }: UpstreamError): boolean {
  return isTooLarge || (status === 200 && code !== undefined && refusedOutputs.has(code));
}

/** Returns whether the attempt has ended with such a refusal, or with another one that the vendor bills. */
export function isBilledRefusal(end: AttemptEnd): boolean {
  return end.outcome === 'failed' && (end.error.billing !== undefined || isOutputRefused(end.error));
}

export function unreachableError(
  status: number,
  cause: Error | undefined,
  message = 'The connection to the upstream failed',
): UpstreamError {
  return new UpstreamError('unreachable', message, { status, cause });
}

const timeoutMessages: Readonly<Record<TimedPhase, string>> = {
  connect: 'The connection to the upstream timed out',
  'first-byte': 'The upstream did not start to respond in time',
  'first-content': 'The upstream sent no content in time',
  idle: 'The upstream stopped sending',
  total: 'The response exceeded the total timeout of this channel',
};

export function timeoutError(status: number, timeout: UpstreamTimeout): UpstreamError {
  return new UpstreamError('unreachable', timeoutMessages[timeout.phase], { status, timeout });
}

export function unreadableError(error: unknown, status: number): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError('garbled', 'The upstream’s response could not be read', { status, cause: error });
}
