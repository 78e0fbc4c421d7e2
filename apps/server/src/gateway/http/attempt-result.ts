import type { AcceptedTask, Meter, UpstreamError } from '@switchyard/relay';
import type { LastBytes } from './response-flow.ts';

/** `answered` to its end, `failed` by the upstream, `left` by the client. */
export type AttemptEnd =
  | { outcome: 'answered'; last: LastBytes }
  | { outcome: 'failed'; error: UpstreamError }
  | { outcome: 'left' };

export type AttemptResult = AttemptEnd & {
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** Undefined when no 2xx answer came. */
  meter: Meter | undefined;
  /** The client has got a part of a stream. */
  isDelivered: boolean;
  /** UTC ms at which the first content arrived; 0 when none did. */
  firstContentAt: number;
  /** Fields of the response that the client's dialect doesn't support. */
  unsupportedFields: readonly string[];
  /** Task submission that the provider has accepted. */
  acceptedTask?: AcceptedTask | undefined;
};
