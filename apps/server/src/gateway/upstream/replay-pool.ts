/** Pool that replays a vendor's response that was already received, without an upstream call. */
import type { UpstreamPool } from './upstream-pool.ts';

export interface VendorResponse {
  status: number;
  /** JSON. */
  body: Buffer;
}

export function createReplayPool({ status, body }: VendorResponse): Pick<UpstreamPool, 'dispatch'> {
  return {
    dispatch(_target, handler) {
      handler.release = () => {};
      handler.cancel = () => {};
      const controller = {
        aborted: false,
        paused: false,
        reason: null,
        abort: () => {},
        pause: () => {},
        resume: () => {},
      };
      queueMicrotask(() => {
        handler.onRequestStart?.(controller, undefined);
        handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' });
        handler.onResponseData?.(controller, body);
        handler.onResponseEnd?.(controller, {});
      });
    },
  };
}
