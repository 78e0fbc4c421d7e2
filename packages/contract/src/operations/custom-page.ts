/** Pages that the operator writes instead of ours. */

/** Paths that serve a whole custom page, for a frame that shares nothing with the console. */
export const customPagePaths = { home: '/custom/home', about: '/custom/about' } as const;
export type CustomPageName = keyof typeof customPagePaths;

/** A document of its own, or HTML with scripts: what the console must not take into its own page. */
export function isFullDocument(text: string): boolean {
  const start = text.trimStart().replace(/^(?:<!--[^]*?-->\s*)+/, '');
  if (!start.startsWith('<')) return false;
  return /^<(?:!doctype|html)[\s>]/i.test(start) || /<script[\s/>]/i.test(start);
}
