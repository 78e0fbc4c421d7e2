import { urlSchemeOf } from '../theme/tokens.ts';

/** A new tab that learns nothing about this one. */
export function openInNewTab(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}

/** Leaves the console for another site in this tab. */
export function redirectTo(url: string): void {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('No address of a site');
  location.assign(href);
}

/** Hands an address to the chat app that registered its scheme. */
export function openApp(address: string): void {
  if (urlSchemeOf(address) === undefined) throw new TypeError('No address of a known app');
  location.assign(address);
}
