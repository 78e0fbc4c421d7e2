/** Schemes that chat apps register for themselves; nothing that could run in this page or open a site. */
export const appSchemes = [
  'opencat:',
  'ama:',
  'botgem:',
  'chatbox:',
  'cherrystudio:',
  'deepchat:',
  'aiaw:',
] as const;

/** The app that an address opens; undefined where it is none of those. */
export function urlSchemeOf(address: string): (typeof appSchemes)[number] | undefined {
  const wanted = address.trim().toLowerCase();
  return appSchemes.find((scheme) => wanted.startsWith(`${scheme}//`));
}
