/** The page of its own, for a new tab, that sends the buyer on to the payment company. */
export function payPageUrl(tradeNo: string): string {
  return `/pay.html?${new URLSearchParams({ order: tradeNo }).toString()}`;
}

/** Returns whether this browser runs on a phone, where payment apps are installed. */
export function isPhone(): boolean {
  return /Android|iPhone|iPod|Mobile/i.test(navigator.userAgent);
}
