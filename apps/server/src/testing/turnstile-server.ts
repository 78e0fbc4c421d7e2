/**
 * Simulates the verification of Turnstile's tokens by its documentation, and errors of it.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
import { type Reply, startTestVendor } from './simulated-vendor.ts';

export interface TurnstileServer {
  /** Address of the verification. */
  url: string;
  /** Received requests, in order. */
  asked: readonly URLSearchParams[];
  /** Issues a token like the widget. */
  issueToken(facts: { hostname: string; action?: string }): string;
  setBehaviour(behaviour: Behaviour): void;
  close(): Promise<void>;
}

type Behaviour = 'as-documented' | 'silent' | 'fails' | 'garbage' | 'internal-error';

interface Token {
  hostname: string;
  action?: string;
  /** Idempotency key of the call that used it up. */
  usedBy?: string;
}

export async function startTurnstileServer(secret: string): Promise<TurnstileServer> {
  const tokens = new Map<string, Token>();
  const requests: URLSearchParams[] = [];
  let behaviour: Behaviour = 'as-documented';

  const check = (form: URLSearchParams): object => {
    const refuse = (code: string) => ({ success: false, 'error-codes': [code] });
    if (behaviour === 'internal-error') return refuse('internal-error');
    if (form.get('secret') !== secret) return refuse('invalid-input-secret');
    const token = tokens.get(form.get('response') ?? '');
    if (token === undefined) return refuse('invalid-input-response');
    const key = form.get('idempotency_key') ?? '';
    if (token.usedBy !== undefined && token.usedBy !== key) return refuse('timeout-or-duplicate');
    token.usedBy = key;
    return {
      success: true,
      challenge_ts: '2026-01-10T12:00:00.000Z',
      hostname: token.hostname,
      'error-codes': [],
      action: token.action ?? '',
      cdata: '',
    };
  };
  const answer = (form: URLSearchParams): Reply => {
    if (behaviour === 'silent') return 'silence';
    if (behaviour === 'fails') return { status: 503, text: 'busy' };
    return behaviour === 'garbage' ? { text: '<html>' } : { json: check(form) };
  };
  const vendor = await startTestVendor({
    'POST /siteverify': ({ body }) => {
      const form = new URLSearchParams(body);
      requests.push(form);
      return answer(form);
    },
  });

  return {
    url: `${vendor.url}/siteverify`,
    asked: requests,
    issueToken(facts) {
      const token = `token-${tokens.size}`;
      tokens.set(token, { ...facts });
      return token;
    },
    setBehaviour: (next) => {
      behaviour = next;
    },
    close: () => vendor.close(),
  };
}
