import type { ClientResult, Question } from './scene.ts';

interface Gateway {
  url: string;
  key: string;
  /** Notes what the gateway says that it left out. */
  fetch: typeof fetch;
  /** The same for libraries that use their own. */
  recordUnsupportedFields(headers: Headers): void;
}

/** One question by a vendor's own client library. Rejects as the library does. */
export type SendQuestion = (question: Question, gateway: Gateway) => Promise<Omit<ClientResult, 'dropped'>>;
