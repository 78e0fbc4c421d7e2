/** A relayed request at its three stages: received, identified, and admitted. */
import type { IncomingMessage } from 'node:http';
import type { ClientRequest, RequestRoute } from '@switchyard/relay';
import type { IdempotencyKey } from '../../ledger/ledger.ts';
import type { RequestLog } from '../billing/logged-call.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { RecordingResponse } from '../http/recording-response.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { BackgroundResponses } from '../responses-api/background-responses.ts';
import type { ContinuedRequest } from '../responses-api/conversation-state.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { VendorResponse } from '../upstream/upstream-and-replay-pool.ts';
import type { AcquiredResources, Admission } from './admit-request.ts';
import type { Audience } from './internal-request.ts';

/** Request at its arrival: its body is unread, and its caller unknown. */
export interface Inbound {
  message: IncomingMessage;
  route: RequestRoute;
  identify(): Principal | Promise<Principal>;
  client: ClientResponse;
  requestId: string;
  address: string;
  /** Absent if the request cannot start a background response. */
  background?: BackgroundResponses;
  /** Resources that an outer request already holds for this request. */
  acquired?: AcquiredResources;
  /** Id under which the response is stored; a client already polls it. */
  storeAs?: string;
  /** Clients of the stream, which may receive less of it than the gateway does; absent if the caller is the client. */
  audience?: Audience | undefined;
  /** Vendor's response to a batch line, which was admitted, checked and held before the batch was sent. */
  vendorResponse?: VendorResponse | undefined;
  /** Called once the content policy has passed the request, before any channel is called. */
  onChecked?: (checked: ClientRequest) => Promise<void>;
}

/** Request whose caller is known, and whose body has been read. */
export interface IdentifiedCall extends Inbound {
  principal: Principal;
  request: ClientRequest;
  idempotencyKey: IdempotencyKey | undefined;
  caller: AcquiredResources['caller'];
  slot: ConcurrencySlot;
  log: RequestLog;
}

/** Admitted request. */
export interface AdmittedCall extends IdentifiedCall, Admission, Pick<ContinuedRequest, 'withFullHistory'> {
  /** Client's own turns after the content check, without the history of `previous_response_id`. */
  original: ClientRequest;
  /** Present if the response is stored. */
  recording?: RecordingResponse | undefined;
}
