/** A relayed request at its three stages: received, identified, and admitted. */
import type { IncomingMessage } from 'node:http';
import type { ClientRequest, RequestRoute } from '@switchyard/relay';
import type { Admission, Entered } from './admit.ts';
import type { Principal } from './authenticate.ts';
import type { BackgroundResponses } from './background-responses.ts';
import type { ClientResponse } from './client-response.ts';
import type { Place } from './places.ts';
import type { RecordingResponse } from './recording-response.ts';
import type { RequestLog } from './settlement.ts';
import type { Continued } from './stored-responses.ts';
import type { VendorAnswer } from './vendor-answer.ts';

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
  /** What an outer request already holds for this one, which is served in its name. */
  entered?: Entered;
  /** The id under which the response is stored; a client already polls it. */
  keepAs?: string;
  /** The vendor's answer to a batch line, which was admitted, checked and held before the batch was sent. */
  answered?: VendorAnswer | undefined;
  /** Runs once the content policy has passed the request, before any channel is asked. */
  onChecked?: (checked: ClientRequest) => Promise<void>;
}

/** A request whose caller is known, and whose body has been read. */
export interface IdentifiedCall extends Inbound {
  principal: Principal;
  request: ClientRequest;
  caller: Entered['caller'];
  place: Place;
  log: RequestLog;
}

/** A request that may run. */
export interface AdmittedCall extends IdentifiedCall, Admission, Pick<Continued, 'withFullHistory'> {
  /** The client's own turns, after the content check: without the history that `previous_response_id` stands for. */
  original: ClientRequest;
  /** Present where the response is stored. */
  recording?: RecordingResponse | undefined;
}
