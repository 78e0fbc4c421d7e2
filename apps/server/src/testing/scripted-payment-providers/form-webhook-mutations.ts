import type { WebhookMutation } from './json-webhook-mutations.ts';
import type { SentWebhook } from './scripted-provider.ts';

/** Returns mutations of a webhook whose parameters are a form, in the address of a GET or the body of a POST. */
export function createFormMutations(webhook: SentWebhook): WebhookMutation[] {
  const text = readForm(webhook);
  const params = [...new URLSearchParams(text)];
  const all = [
    ...params.flatMap((_pair, index) => mutateParam(params, index)),
    ...mutateSignature(params),
    ...mutateText(text, new URLSearchParams(params).toString()),
    ...mutateBoundaries(params),
    ...addParams(params),
  ];
  return [
    ...all
      .filter(({ text: changed }) => changed !== text)
      .map(({ text: changed, ...rest }) => ({ ...rest, webhook: replaceForm(webhook, changed) })),
    ...mutateMethod(webhook, text),
  ];
}

interface FormMutation {
  name: string;
  text: string;
  harmless?: string;
}

type Params = readonly (readonly [string, string])[];

const encodeParams = (params: Params): string =>
  new URLSearchParams(params.map(([name, value]): [string, string] => [name, value])).toString();
const replaceParam = (params: Params, index: number, ...by: Params): string =>
  encodeParams(params.toSpliced(index, 1, ...by));

const otherValues: readonly [string, (value: string) => string][] = [
  ['emptied', () => ''],
  ['in upper case', (value) => value.toUpperCase()],
  ['in lower case', (value) => value.toLowerCase()],
  ['with a space before', (value) => ` ${value}`],
  ['with a space behind', (value) => `${value} `],
  ['with a zero before', (value) => `0${value}`],
  ['with a zero behind', (value) => `${value}0`],
  ['without its last character', (value) => value.slice(0, -1)],
  ['without its first character', (value) => value.slice(1)],
  ['with a null byte', (value) => `${value}\0`],
  ['with a line feed', (value) => `${value}\n`],
  ['as a number of another form', (value) => `${value}e0`],
  [
    'in full-width digits',
    (value) => value.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
  ],
  ['replaced', () => 'x'],
  ['negative', (value) => `-${value}`],
  ['escaped once more', (value) => encodeURIComponent(value)],
  ['with what follows it', (value) => `${value}&money=0.01&total_amount=0.01`],
];

function mutateParam(params: Params, index: number): FormMutation[] {
  const [name = '', value = ''] = params[index] ?? [];
  const names = [name.toUpperCase(), `${name}[]`, ` ${name}`, `${name}.`, `x_${name}`];
  return [
    { name: `${name} dropped`, text: encodeParams(params.toSpliced(index, 1)) },
    { name: `${name} twice`, text: encodeParams([...params, [name, value]]) },
    { name: `${name} twice, the second one other`, text: encodeParams([...params, [name, `${value}1`]]) },
    { name: `${name} twice, the first one other`, text: encodeParams([[name, `${value}1`], ...params]) },
    ...names.map((other) => ({ name: `${name} as ${other}`, text: replaceParam(params, index, [other, value]) })),
    ...otherValues.map(([how, change]) => ({
      name: `${name} ${how}`,
      text: replaceParam(params, index, [name, change(value)]),
    })),
  ];
}

function mutateSignature(params: Params): FormMutation[] {
  const index = params.findIndex(([name]) => name === 'sign');
  const sign = params[index]?.[1] ?? '';
  const others = ['', '0', 'null', 'undefined', 'true', '[]', sign.slice(0, 16), sign + sign, sign.replace(/.$/, '=')];
  const kinds = ['', 'md5', 'RSA', 'RSA2 ', 'RSA2,MD5', 'NONE', 'HMAC-SHA256', 'MD5', 'RSA2'];
  const kind = params.findIndex(([name]) => name === 'sign_type');
  return [
    ...others.map((other) => ({
      name: `signature ${other.slice(0, 8)}`,
      text: replaceParam(params, index, ['sign', other]),
    })),
    ...Array.from(sign, (character, place) => ({
      name: `signature with another character at ${place}`,
      text: replaceParam(params, index, [
        'sign',
        sign.slice(0, place) + (character === 'a' ? 'b' : 'a') + sign.slice(place + 1),
      ]),
    })),
    ...kinds.map((other) => ({
      name: `kind of signature ${other}`,
      text: replaceParam(params, kind, ['sign_type', other]),
    })),
  ];
}

/** Returns mutations of every byte and every length. */
function mutateText(text: string, canonical: string): FormMutation[] {
  const places = Array.from({ length: text.length }, (_, place) => place);
  return [
    ...places.map((place) => ({ name: `cut after ${place}`, text: text.slice(0, place) })),
    ...places.map((place) => ({
      name: `other byte at ${place}`,
      text: `${text.slice(0, place)}${text[place] === '7' ? '8' : '7'}${text.slice(place + 1)}`,
    })),
    { name: 'twice', text: `${text}&${text}` },
    { name: 'as JSON', text: JSON.stringify(Object.fromEntries(new URLSearchParams(text))) },
    { name: 'with a byte order mark', text: `\uFEFF${text}` },
    { name: 'in reverse order', text: text.split('&').toReversed().join('&'), harmless: 'parameters have no order' },
    { name: 'with an empty parameter', text: `${text}&`, harmless: 'nothing was added' },
    { name: 'escaped in another way', text: canonical.replaceAll('+', '%20'), harmless: 'it decodes to the same' },
    { name: 'escaped in lower case', text: lowerEscapes(text), harmless: 'it decodes to the same' },
  ];
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

/** Moves the boundaries between parameters: the signed text has no escapes, so it stays the same. */
function mutateBoundaries(params: Params): FormMutation[] {
  const signed = params
    .filter(([name]) => name !== 'sign' && name !== 'sign_type')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rest = params.filter(([name]) => name === 'sign' || name === 'sign_type');
  return signed.slice(1).map(([name, value], index) => {
    const [before = '', its = ''] = signed[index] ?? [];
    const joined: Params = [...signed.toSpliced(index, 2, [before, `${its}&${name}=${value}`]), ...rest];
    return { name: `${name} hidden in ${before}`, text: encodeParams(joined), ...describeIgnored(name) };
  });
}

/** Fields that have no effect. */
const ignoredFields = new Set([
  'name',
  'type',
  'buyer_id',
  'seller_id',
  'subject',
  'charset',
  'version',
  'auth_app_id',
]);
const ignoredTimeFields = new Set(['gmt_create', 'gmt_payment', 'notify_id', 'notify_time', 'receipt_amount']);

function describeIgnored(name: string): { harmless?: string } {
  return ignoredFields.has(name) || ignoredTimeFields.has(name) ? { harmless: 'no order looks at this field' } : {};
}

function addParams(params: Params): FormMutation[] {
  const extras: Params = [
    ['money', '0.01'],
    ['total_amount', '0.01'],
    ['trade_status', 'TRADE_SUCCESS'],
    ['refund_fee', '1.00'],
    ['pid', '1002'],
    ['app_id', '1'],
    ['param', 'x'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
  ];
  return [
    ...extras.map((extra) => ({ name: `${extra[0]} added`, text: encodeParams([...params, extra]) })),
    ...extras.map((extra) => ({ name: `${extra[0]} added before`, text: encodeParams([extra, ...params]) })),
  ];
}

function mutateMethod(webhook: SentWebhook, text: string): WebhookMutation[] {
  const bare = webhook.url.replace(/\?.*$/, '');
  const other: SentWebhook =
    webhook.method === 'GET'
      ? { method: 'POST', url: bare, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text }
      : { method: 'GET', url: `${bare}?${text}`, headers: {}, body: '' };
  return [
    {
      name: `sent by ${other.method}`,
      webhook: other,
      ...(webhook.method === 'GET' ? { harmless: 'these gateways use both ways' } : {}),
    },
    { name: 'by the other method, with nothing in it', webhook: { ...webhook, method: other.method } },
    { name: 'half in the address, half in the body', webhook: splitForm(webhook, text, bare) },
  ];
}

function splitForm(webhook: SentWebhook, text: string, bare: string): SentWebhook {
  const params = text.split('&');
  const half = params.length / 2;
  return {
    method: 'POST',
    url: `${bare}?${params.slice(0, half).join('&')}`,
    headers: webhook.headers,
    body: params.slice(half).join('&'),
  };
}

function readForm({ method, url, body }: SentWebhook): string {
  return method === 'GET' ? new URL(url).search.slice(1) : String(body);
}

function replaceForm(webhook: SentWebhook, text: string): SentWebhook {
  return webhook.method === 'GET'
    ? { ...webhook, url: `${webhook.url.replace(/\?.*$/, '')}?${text}` }
    : { ...webhook, body: text };
}
