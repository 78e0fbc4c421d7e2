/**
 * Redirects a buyer's tab to the payment page of the order in its URL, by a link or a form. It is a separate
 * page, because the console's CSP forbids forms that submit to other sites.
 */

/** Payment page of an order, read from `/api/user/order/:trade_no` without the schema library. */
interface PaymentPage {
  method: 'GET' | 'POST';
  /** http or https URL; for GET it includes all parameters. */
  url: string;
  /** Form fields; none for GET. */
  params: Readonly<Record<string, string>>;
}

/** `paymentKind` of the contract for a form or a link. */
const PAGE = 1;

const DEADLINE_MS = 15_000;

async function readPage(tradeNo: string): Promise<PaymentPage | undefined> {
  const response = await fetch(`/api/user/order/${encodeURIComponent(tradeNo)}`, {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return paymentPageOf(await response.json());
}

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

function submit({ url, params }: PaymentPage): void {
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  for (const [name, value] of Object.entries(params)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  // A field of the payment provider may be named `submit` and would shadow the method.
  HTMLFormElement.prototype.submit.call(form);
}

async function goToPay(): Promise<void> {
  const tradeNo = new URLSearchParams(location.search).get('order') ?? '';
  const page = await readPage(tradeNo).catch(() => undefined);
  // The console shows the state of the order, or asks to sign in if that is the reason.
  if (page === undefined) location.replace(`/panel/topup?${new URLSearchParams({ order: tradeNo }).toString()}`);
  else if (page.method === 'POST') submit(page);
  else location.replace(page.url);
}

void goToPay();
