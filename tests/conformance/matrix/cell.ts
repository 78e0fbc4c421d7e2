import type { ClientResult, Question } from './scenario.ts';

interface Gateway {
  url: string;
  key: string;
  /** Records the unsupported fields that the gateway reports. */
  fetch: typeof fetch;
  /** The same for libraries with their own option. */
  recordUnsupportedFields(headers: Headers): void;
}

/** Sends one request by a vendor's own client library. Rejects like the library. */
export type SendQuestion = (question: Question, gateway: Gateway) => Promise<Omit<ClientResult, 'dropped'>>;
