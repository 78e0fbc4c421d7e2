import type { SentWebhook } from './scripted-provider.ts';

/** Returns mutations of a webhook with a JSON body and a signature in its headers. */
export function createJsonMutations(webhook: SentWebhook): WebhookMutation[] {
  const text = String(webhook.body);
  return [
    ...mutateBody(text).map(([name, body]) => ({ name, webhook: { ...webhook, body } })),
    ...Object.keys(webhook.headers).flatMap((header) => mutateHeader(webhook, header)),
    { name: 'sent by GET', webhook: { ...webhook, method: 'GET' as const } },
  ].filter((mutation) => !isSame(mutation.webhook, webhook));
}

function isSame(a: SentWebhook, b: SentWebhook): boolean {
  return (
    a.method === b.method &&
    Buffer.from(a.body).equals(Buffer.from(b.body)) &&
    JSON.stringify(a.headers) === JSON.stringify(b.headers)
  );
}

function mutateBody(text: string): [string, string | Buffer][] {
  const bytes = Buffer.from(text);
  const parsed = JSON.parse(text) as unknown;
  const places = Array.from({ length: text.length }, (_, place) => place);
  return [
    ...places.map((place): [string, string] => [`body cut after ${place}`, text.slice(0, place)]),
    ...places.map((place): [string, string] => [
      `other byte at ${place} of the body`,
      `${text.slice(0, place)}${text[place] === '7' ? '8' : '7'}${text.slice(place + 1)}`,
    ]),
    ...mutateLeaves(parsed).flatMap(([path, changed]): [string, string][] => [
      [`${path} changed`, JSON.stringify(changed, null, text.includes('\n') ? 2 : 0)],
    ]),
    ['body with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    ['body with a byte that is no text', Buffer.concat([bytes, Buffer.from([0xff])])],
    ['body with a null byte', `${text}\0`],
    ['body with a line feed', `${text}\n`],
    ['body with a space before', ` ${text}`],
    ['body in UTF-16', Buffer.from(text, 'utf16le')],
    ['body in base64', bytes.toString('base64')],
    ['body written anew', JSON.stringify(parsed, null, 1)],
    ['body as a form', new URLSearchParams({ payload: text }).toString()],
    ['body twice', text + text],
    ['body in a list', `[${text}]`],
    ['body as a text', JSON.stringify(text)],
    ['body null', 'null'],
    ['body a number', '1'],
    ['body an empty object', '{}'],
  ];
}

/** Returns copies with one value changed or one field removed, for every value. */
function mutateLeaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const here = `${path}.${name}`;
    const put = (other: unknown): unknown => ({ ...value, [name]: other });
    const { [name]: _dropped, ...without } = value as Record<string, unknown>;
    return [
      [`${here} dropped, `, without],
      [here, put(null)],
      [here, put('')],
      [here, put([inner])],
      [here, put(typeof inner === 'number' ? inner + 1 : `${String(inner)}0`)],
      ...mutateLeaves(inner, here).map(([at, changed]): [string, unknown] => [at, put(changed)]),
    ];
  });
}

function mutateHeader({ headers, ...webhook }: SentWebhook, header: string): WebhookMutation[] {
  const value = headers[header] ?? '';
  const idle = header === 'content-type' ? 'the body is what is signed, whatever it is called' : undefined;
  const missing = header === 'wechatpay-signature-type' ? 'there is no other way of signing' : idle;
  const withHeaders = (
    name: string,
    changed: SentWebhook['headers'],
    harmless: string | undefined,
  ): WebhookMutation => ({
    name: `${header} ${name}`,
    webhook: { ...webhook, headers: changed },
    ...(harmless === undefined ? {} : { harmless }),
  });
  const put = (name: string, other: string, harmless = idle): WebhookMutation =>
    withHeaders(name, { ...headers, [header]: other }, harmless);
  const { [header]: _dropped, ...without } = headers;
  const places = Array.from({ length: value.length }, (_, place) => place);
  const isStripes = header === 'stripe-signature';
  return [
    withHeaders('dropped', without, missing),
    put('empty', ''),
    put('twice', `${value},${value}`, isStripes ? 'both are the same' : idle),
    put('in upper case', value.toUpperCase()),
    put('in lower case', value.toLowerCase()),
    put('with a space behind', `${value} `, 'servers of HTTP take that away'),
    put('replaced', 'x'),
    ...(isStripes ? mutateStripeSignature(value).map((other) => put(...other)) : []),
    ...places.map((place) => put(`cut after ${place}`, value.slice(0, place))),
    ...places.map((place) => {
      const other = value[place] === '7' ? '8' : '7';
      return put(`with another character at ${place}`, value.slice(0, place) + other + value.slice(place + 1));
    }),
    ...[-86_400, -301, 301, 86_400].map((seconds) => put(`${seconds} seconds later`, shiftTimestamp(value, seconds))),
  ];
}

/** Returns mutations of the signature header. The SDK parses its parts, so that some mutations mean the same. */
function mutateStripeSignature(value: string): [string, string, string?][] {
  const [time = '', signature = ''] = value.split(',');
  return [
    ['with its parts exchanged', `${signature},${time}`, 'its parts have no order'],
    ['with a further signature', `${value},v1=00`, 'one of several has to be right'],
    ['with words behind its time', `${time}x,${signature}`, 'it is the same number'],
    ['with an earlier time before', `t=1,${value}`, 'the last one counts, and is the one that is signed'],
    ['with an earlier time behind', `${value},t=1`],
    ['with a signature of an older kind', `${time},v0=${signature.slice(3)}`],
    ['without its time', signature],
    ['with a time that is none', `t=now,${signature}`],
    ['with a negative time', `t=-1,${signature}`],
    ['with an empty signature', `${time},v1=`],
  ];
}

function shiftTimestamp(value: string, seconds: number): string {
  return value.replace(/\d{10}/, (time) => String(Number(time) + seconds));
}

/** Mutation of an authentic webhook. */
export interface WebhookMutation {
  name: string;
  webhook: SentWebhook;
  /** Reason for which its meaning is unchanged. */
  harmless?: string;
}
