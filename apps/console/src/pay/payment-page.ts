/** Payment page of an order, from the response of `/api/user/order/:trade_no`; read without the schema library. */
export interface PaymentPage {
  method: 'GET' | 'POST';
  /** Address of http or https. For GET it includes all parameters. */
  url: string;
  /** Fields of the form; none for GET. */
  params: Readonly<Record<string, string>>;
}

/** `paymentKind` of the contract: a form or a link to open. */
const PAGE = 1;

/** Undefined where there is nothing to pay on a page. */
export function paymentPageOf(answer: unknown): PaymentPage | undefined {
  const payment = partOf(partOf(answer, 'data'), 'payment');
  const data = partOf(payment, 'data');
  const address = partOf(data, 'url');
  if (partOf(payment, 'type') !== PAGE || typeof address !== 'string' || !URL.canParse(address))
    return undefined;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const params = textsOf(partOf(data, 'params'));
  if (partOf(data, 'method') === 'POST') return { method: 'POST', url: url.href, params };
  // The address stays as it is written: it may be signed.
  const more = new URLSearchParams(params).toString();
  if (more !== '') url.search = url.search === '' ? more : `${url.search}&${more}`;
  return { method: 'GET', url: url.href, params: {} };
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  const entries: [name: string, value: unknown][] =
    typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
