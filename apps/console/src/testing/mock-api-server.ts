import type { ErrorCode, FieldError } from '@switchyard/contract/errors';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

/** Scripted management API; a call without a script fails. */
export const server = setupServer();

export const succeed = (data: unknown) => HttpResponse.json({ success: true, message: '', data });

interface Refusal {
  /** The code, if absent. */
  message?: string;
  fields?: FieldError[];
  retry_after?: number;
  request_id?: string;
}

export function refuse(code: ErrorCode, status = 400, detail: Refusal = {}) {
  return HttpResponse.json({ success: false, message: code, code, ...detail }, { status });
}

type Method = 'get' | 'post' | 'put' | 'delete';
interface Call {
  url: URL;
  body: unknown;
}

/** Scripts a route and returns the calls that it receives. */
export function script(method: Method, path: string, answer: (call: Call) => Response | Promise<Response>): Call[] {
  const calls: Call[] = [];
  server.use(
    http[method](`*${path}`, async ({ request }) => {
      const text = await request.text();
      const call = { url: new URL(request.url), body: text === '' ? undefined : (JSON.parse(text) as unknown) };
      calls.push(call);
      return answer(call);
    }),
  );
  return calls;
}

/** Scripts the confirmation by password and returns the calls that it receives. */
export function scriptConfirmation(confirmed: () => void): Call[] {
  script('get', '/api/user/step_up', () => succeed({ password: true, code: false, passkey: false }));
  return script('post', '/api/user/step_up', () => {
    confirmed();
    return succeed(null);
  });
}
