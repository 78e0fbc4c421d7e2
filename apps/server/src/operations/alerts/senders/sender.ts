/** Common parts of all notification senders: one message, one HTTP call, and whether it was accepted. */

export interface AlertMessage {
  /** The same for each attempt. */
  id: string;
  event: string;
  /** UTC seconds. */
  at: number;
  /** The site's name. */
  site: string;
  title: string;
  text: string;
  /** Empty: none. */
  link: string;
}

export type DestinationConfig = Readonly<Record<string, string>>;

export interface PostAnswer {
  status: number;
  text: string;
  /** Undefined when it is not JSON. */
  json: unknown;
  /** Seconds from the `Retry-After` header; 0: there is none. */
  retryAfterSeconds: number;
}

/** @throws DeliveryFailure when there is no answer */
export type Post = (
  url: string,
  body: object | string,
  headers?: Record<string, string>,
) => Promise<PostAnswer>;

/**
 * @param now UTC milliseconds
 * @returns what the other side answered
 * @throws DeliveryFailure when it was not taken
 */
export type Sender = (
  message: AlertMessage,
  config: DestinationConfig,
  post: Post,
  now: number,
) => Promise<string>;

/** `later`: worth another attempt; `refused`: this message is not; `gone`: nothing is taken there any more. */
export type FailureKind = 'later' | 'refused' | 'gone';

export class DeliveryFailure extends Error {
  readonly kind: FailureKind;
  readonly retryAfterSeconds: number;
  constructor(message: string, kind: FailureKind, retryAfterSeconds = 0) {
    super(message);
    this.name = 'DeliveryFailure';
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the response on one line, uncut: a secret that is cut in two would not be redacted. */
export function saidBy({ status, text }: PostAnswer): string {
  return `${status} ${text.replace(/\s+/g, ' ').trim()}`.trim();
}

export function failureOf(answer: PostAnswer, kind: FailureKind): DeliveryFailure {
  return new DeliveryFailure(saidBy(answer), kind, answer.retryAfterSeconds);
}

/** @throws DeliveryFailure unless the status says that it was taken */
export function checkStatus(answer: PostAnswer): void {
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (status === 410) throw failureOf(answer, 'gone');
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  throw failureOf(answer, isPassing ? 'later' : 'refused');
}

/** A number that stands in an answer under this name. */
export function codeIn({ json }: PostAnswer, name: string): number | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const code: unknown = Object.entries(json).find(([key]) => key === name)?.[1];
  return typeof code === 'number' ? code : undefined;
}

/** @throws DeliveryFailure unless the answer holds this code. What is not said at all counts as a refusal. */
export function checkCode(
  answer: PostAnswer,
  name: string,
  kinds: { taken: number; later: readonly number[]; gone?: readonly number[] },
): void {
  const code = codeIn(answer, name);
  if (code === kinds.taken) return;
  if (code !== undefined && kinds.later.includes(code)) throw failureOf(answer, 'later');
  throw failureOf(answer, code !== undefined && kinds.gone?.includes(code) === true ? 'gone' : 'refused');
}

export function headingOf({ site, title }: AlertMessage): string {
  return `${site}: ${title}`;
}

/** Formats a message for receivers that show plain text. */
export function plainText(message: AlertMessage): string {
  return [headingOf(message), message.text, message.link].filter((line) => line !== '').join('\n');
}
