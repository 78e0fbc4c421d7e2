/** Payment page of an order, read from `/api/user/order/:trade_no` without the schema library. */
export interface PaymentPage {
  method: 'GET' | 'POST';
  /** http or https URL; for GET it includes all parameters. */
  url: string;
  /** Form fields; none for GET. */
  params: Readonly<Record<string, string>>;
}

/** `paymentKind` of the contract for a form or a link. */
const PAGE = 1;

/** Returns the payment page; undefined when the order is not paid on a page. */
export function paymentPageOf(answer: unknown): PaymentPage | undefined {
  const payment = partOf(partOf(answer, 'data'), 'payment');
  const data = partOf(payment, 'data');
  const address = partOf(data, 'url');
  if (partOf(payment, 'type') !== PAGE || typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const params = textsOf(partOf(data, 'params'));
  if (partOf(data, 'method') === 'POST') return { method: 'POST', url: url.href, params };
  // Appends the parameters without changing the existing query, which may be signed.
  const more = new URLSearchParams(params).toString();
  if (more !== '') url.search = url.search === '' ? more : `${url.search}&${more}`;
  return { method: 'GET', url: url.href, params: {} };
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  const entries: [name: string, value: unknown][] =
    typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
