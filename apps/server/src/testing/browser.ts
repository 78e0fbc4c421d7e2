/** Browser with its own address. It returns the response envelopes; errors are responses, not exceptions. */
import { createBrowserVisitor } from './visitor.ts';

export interface SeenResponse {
  status: number;
  success: boolean;
  message: string;
  code: string | undefined;
  data: unknown;
}

export interface Browser {
  get(path: string): Promise<SeenResponse>;
  post(path: string, body?: unknown): Promise<SeenResponse>;
  readonly cookies: ReadonlyMap<string, string>;
}

let opened = 0;

/**
 * Opens a browser. The server must trust `X-Forwarded-For` of this machine, so that each browser has separate limits.
 */
export function openBrowser(url: string): Browser {
  opened += 1;
  const address = `10.${(opened >> 16) & 255}.${(opened >> 8) & 255}.${opened & 255}`;
  const own = createBrowserVisitor(url, { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address });
  const see = async (path: string, init?: RequestInit): Promise<SeenResponse> => {
    const response = await own.fetch(path, init);
    const envelope = (await response.json()) as Omit<SeenResponse, 'status'>;
    return { ...envelope, status: response.status };
  };
  return {
    cookies: own.cookies,
    get: (path) => see(path),
    post: (path, body = {}) =>
      see(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}
