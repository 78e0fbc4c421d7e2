/**
 * Redirects a buyer's tab to the payment page of the order in its URL, by a link or a form. It is a separate
 * page, because the console's CSP forbids forms that submit to other sites.
 */
import { type PaymentPage, paymentPageOf } from './read-payment-page.ts';

const DEADLINE_MS = 15_000;

async function readPage(tradeNo: string): Promise<PaymentPage | undefined> {
  const response = await fetch(`/api/user/order/${encodeURIComponent(tradeNo)}`, {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return paymentPageOf(await response.json());
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
