/** Minimal pages of a payment provider. */
import type { Reply } from '../simulated-vendor.ts';
import type { ScriptedOrder } from './scripted-provider.ts';

/** @param action address to which the button sends `trade_no` */
export function renderCashierPage({ tradeNo, amount, currency }: ScriptedOrder, action: string): Reply {
  return renderPage(`<h1>${escapeHtml(tradeNo)}</h1>
<p>${amount} ${escapeHtml(currency)}</p>
<form method="post" action="${escapeHtml(action)}">
  <input type="hidden" name="scripted_trade_no" value="${escapeHtml(tradeNo)}">
  <button>Pay</button>
</form>`);
}

/**
 * Renders a page that leads the buyer back. A redirect would bypass the interception of tests that simulate a
 * provider in a browser.
 */
export function renderReturnPage(returnUrl: string): Reply {
  return renderPage(`<meta http-equiv="refresh" content="0;url=${escapeHtml(returnUrl)}"><p>Paid</p>`);
}

export function renderRefusalPage(reason: string): Reply {
  return { ...renderPage(`<p>${escapeHtml(reason)}</p>`), status: 400 };
}

function renderPage(content: string): { text: string; headers: Record<string, string> } {
  return { text: `<!doctype html>${content}`, headers: { 'content-type': 'text/html; charset=utf-8' } };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
