/**
 * A page of its own, in the tab that a buyer pays in: it asks how the order of its address is paid and goes there, by a
 * link or a form. The console's own page may send no form to other sites.
 */
import { type PaymentPage, paymentPageOf } from './payment-page.ts';

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
  // A field of the gateway's may be called `submit`, which would hide the method.
  HTMLFormElement.prototype.submit.call(form);
}

async function goToPay(): Promise<void> {
  const tradeNo = new URLSearchParams(location.search).get('order') ?? '';
  const page = await readPage(tradeNo).catch(() => undefined);
  // The console says what became of the order, and asks to sign in where that is what is missing.
  if (page === undefined)
    location.replace(`/panel/topup?${new URLSearchParams({ order: tradeNo }).toString()}`);
  else if (page.method === 'POST') submit(page);
  else location.replace(page.url);
}

void goToPay();
