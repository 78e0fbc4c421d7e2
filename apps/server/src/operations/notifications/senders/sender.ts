/** Common parts of all notification senders: one message, one HTTP call, and whether it was accepted. */

export interface NotificationMessage {
  /** The same for every attempt. */
  id: string;
  event: string;
  /** UTC seconds. */
  at: number;
  /** Name of the site. */
  site: string;
  title: string;
  text: string;
  /** Empty for none. */
  link: string;
}

export type TargetConfig = Readonly<Record<string, string>>;

export interface PostResponse {
  status: number;
  text: string;
  /** Undefined when it is not JSON. */
  json: unknown;
  /** Seconds from the `Retry-After` header; 0 without one. */
  retryAfterSeconds: number;
}

/** @throws DeliveryError without a response */
export type Post = (url: string, body: object | string, headers?: Record<string, string>) => Promise<PostResponse>;

/**
 * @param now UTC milliseconds
 * @returns the receiver's response
 * @throws DeliveryError when it was not accepted
 */
export type Sender = (message: NotificationMessage, config: TargetConfig, post: Post, now: number) => Promise<string>;

/** `later`: retryable; `refused`: this message is not accepted; `gone`: the receiver no longer exists. */
export type FailureKind = 'later' | 'refused' | 'gone';

export class DeliveryError extends Error {
  readonly kind: FailureKind;
  readonly retryAfterSeconds: number;
  constructor(message: string, kind: FailureKind, retryAfterSeconds = 0) {
    super(message);
    this.name = 'DeliveryError';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the response on one line, untruncated: half of a secret would not be redacted. */
export function describeResponse({ status, text }: PostResponse): string {
  return `${status} ${text.replace(/\s+/g, ' ').trim()}`.trim();
}

export function createDeliveryFailure(answer: PostResponse, kind: FailureKind): DeliveryError {
  return new DeliveryError(describeResponse(answer), kind, answer.retryAfterSeconds);
}

/** @throws DeliveryError unless the status is a success */
export function checkStatus(answer: PostResponse): void {
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (status === 410) throw createDeliveryFailure(answer, 'gone');
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  throw createDeliveryFailure(answer, isPassing ? 'later' : 'refused');
}

/** Returns the numeric field of a response. */
export function readResponseCode({ json }: PostResponse, name: string): number | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const code: unknown = Object.entries(json).find(([key]) => key === name)?.[1];
  return typeof code === 'number' ? code : undefined;
}

/** @throws DeliveryError unless the response contains this code. A missing code counts as a refusal. */
export function checkResponseCode(
  answer: PostResponse,
  name: string,
  kinds: { taken: number; later: readonly number[]; gone?: readonly number[] },
): void {
  const code = readResponseCode(answer, name);
  if (code === kinds.taken) return;
  if (code !== undefined && kinds.later.includes(code)) throw createDeliveryFailure(answer, 'later');
  throw createDeliveryFailure(answer, code !== undefined && kinds.gone?.includes(code) === true ? 'gone' : 'refused');
}

export function formatHeading({ site, title }: NotificationMessage): string {
  return `${site}: ${title}`;
}

/** Formats a message for receivers that show plain text. */
export function formatPlainText(message: NotificationMessage): string {
  return [formatHeading(message), message.text, message.link].filter((line) => line !== '').join('\n');
}
