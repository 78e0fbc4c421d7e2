/** A relayed request at its three stages: received, identified, and admitted. */
import type { IncomingMessage } from 'node:http';
import type { ClientRequest, RequestRoute } from '@switchyard/relay';
import type { RequestLog } from '../billing/settlement.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { RecordingResponse } from '../http/recording-response.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { BackgroundResponses } from '../responses/background-responses.ts';
import type { ContinuedRequest } from '../responses/stored-responses.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { VendorResponse } from '../upstream/vendor-response.ts';
import type { AcquiredResources, Admission } from './admit.ts';

/** A request as it arrives: its body is unread, and its caller unknown. */
export interface Inbound {
  message: IncomingMessage;
  route: RequestRoute;
  identify(): Principal | Promise<Principal>;
  client: ClientResponse;
  requestId: string;
  address: string;
  /** Absent where the request cannot start a background response. */
  background?: BackgroundResponses;
  /** Resources that an outer request already holds for this one, which is served in its name. */
  acquired?: AcquiredResources;
  /** The id under which the response is stored; a client already polls it. */
  storeAs?: string;
  /** The vendor's answer to a batch line, which was admitted, checked and held before the batch was sent. */
  vendorResponse?: VendorResponse | undefined;
  /** Runs once the content policy has passed the request, before any channel is asked. */
  onChecked?: (checked: ClientRequest) => Promise<void>;
}

/** A request whose caller is known, and whose body has been read. */
export interface IdentifiedCall extends Inbound {
  principal: Principal;
  request: ClientRequest;
  caller: AcquiredResources['caller'];
  slot: ConcurrencySlot;
  log: RequestLog;
}

/** A request that may run. */
export interface AdmittedCall extends IdentifiedCall, Admission, Pick<ContinuedRequest, 'withFullHistory'> {
  /** The client's own turns, after the content check: without the history that `previous_response_id` stands for. */
  original: ClientRequest;
  /** Present where the response is stored. */
  recording?: RecordingResponse | undefined;
}
