/** URL schemes that chat apps register; none of them could run in this page or open a site. */
export const appSchemes = ['opencat:', 'ama:', 'botgem:', 'chatbox:', 'cherrystudio:', 'deepchat:', 'aiaw:'] as const;

/** Returns the app scheme of a URL; undefined for any other scheme. */
export function urlSchemeOf(address: string): (typeof appSchemes)[number] | undefined {
  const wanted = address.trim().toLowerCase();
  return appSchemes.find((scheme) => wanted.startsWith(`${scheme}//`));
}

/** Opens a URL in a new tab without access to this one. */
export function openInNewTab(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}

/** Navigates this tab to another site. */
export function redirectTo(url: string): void {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('the URL is not http or https');
  location.assign(href);
}

/** Opens a URL in the chat app that registered its scheme. */
export function openApp(address: string): void {
  if (urlSchemeOf(address) === undefined) throw new TypeError('the URL has no scheme of a known app');
  location.assign(address);
}
