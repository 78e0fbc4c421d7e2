/** Returns the URL of a separate page, for a new tab, that redirects the buyer to the payment provider. */
export function payPageUrl(tradeNo: string): string {
  return `/pay.html?${new URLSearchParams({ order: tradeNo }).toString()}`;
}

/** Returns whether the browser runs on a phone, where payment apps are installed. */
export function isPhone(): boolean {
  return /Android|iPhone|iPod|Mobile/i.test(navigator.userAgent);
}
