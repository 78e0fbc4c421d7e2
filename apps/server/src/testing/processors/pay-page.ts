/** Pages of a payment company, as small as they can be. */
import type { Reply } from '../vendor.ts';
import type { ScriptedOrder } from './scripted-processor.ts';

/** @param action where the button sends `trade_no` to */
export function payPage({ tradeNo, amount, currency }: ScriptedOrder, action: string): Reply {
  return page(`<h1>${escaped(tradeNo)}</h1>
<p>${amount} ${escaped(currency)}</p>
<form method="post" action="${escaped(action)}">
  <input type="hidden" name="scripted_trade_no" value="${escaped(tradeNo)}">
  <button>Pay</button>
</form>`);
}

/** Sends the buyer back by itself: a redirect would not pass through those who play a vendor in a browser. */
export function backPage(returnUrl: string): Reply {
  return page(`<meta http-equiv="refresh" content="0;url=${escaped(returnUrl)}"><p>Paid</p>`);
}

export function refusalPage(reason: string): Reply {
  return { ...page(`<p>${escaped(reason)}</p>`), status: 400 };
}

function page(content: string): { text: string; headers: Record<string, string> } {
  return { text: `<!doctype html>${content}`, headers: { 'content-type': 'text/html; charset=utf-8' } };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
