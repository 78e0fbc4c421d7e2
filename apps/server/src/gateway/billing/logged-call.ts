/** A request with what is logged while it runs, from which its settlement and its usage record are made. */
import type { ClientRequest, Meter } from '@switchyard/relay';
import type { NewUsageRecord, StoredAttempt, UnratedCounter, UsageDetail } from '../../ledger/ledger.ts';
import type { TraceContext } from '../../operations/metrics/metrics.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { Audience } from '../pipeline/internal-request.ts';
import type { PricedCandidate } from '../routing/price-candidate.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

const TEXT_MAX = 500;

/** Stream of which the client has received a part. */
export interface StreamDelivery {
  candidate: PricedCandidate;
  meter: Meter;
  /** UTC ms, as `log.now()` returns it. */
  firstContentAt: number;
}

/** Facts that are logged while a request runs. */
export interface RequestLog {
  /** UTC ms. */
  startedAt: number;
  /** Returns UTC ms: the start plus the time since then, so that a change of the time of day does not matter. */
  now(): number;
  attempts: StoredAttempt[];
  /** Channel key of the last attempt. */
  keyId?: string;
  dropped: readonly string[];
  /** Stream that the client is receiving. */
  delivery: StreamDelivery | undefined;
  /** Settlement if the response ended at the last checkpoint; absent before the first one. */
  checkpoint?: CallSettlement;
  /** Model as the client named it; absent until it has been read. */
  model?: string;
  /** Record of the delivered response; absent while nothing is charged. */
  charged?: NewUsageRecord;
  /** Absent when tracing is off. */
  trace?: TraceContext | undefined;
  /** Span of the running attempt, if its id was sent to the upstream. */
  attemptSpanId?: string;
  /** Findings of content safety; absent while there are none. */
  safety?: SafetyFinding[];
}

export type SafetyFinding = NonNullable<UsageDetail['safety']>[number];

export interface LoggedCall {
  requestId: string;
  address: string;
  request: ClientRequest;
  principal: Principal;
  client: ClientResponse;
  log: RequestLog;
  audience?: Audience | undefined;
}

export interface CallSettlement {
  /** Points. */
  charge: number;
  record: NewUsageRecord;
  /** Counters that cost nothing, or as much as text, because their price has no rate for them. */
  unrated: readonly UnratedCounter[];
}

/** Returns the part of an error message, the provider's or the gateway's, that is stored in a record. */
export function truncateErrorText(text: string): string {
  return text.slice(0, TEXT_MAX);
}
