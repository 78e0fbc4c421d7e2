/** Custom pages of the operator. */

/** Paths of whole custom pages, for a frame that shares nothing with the console. */
export const customPagePaths = { home: '/custom/home', about: '/custom/about' } as const;
export type CustomPageName = keyof typeof customPagePaths;

/**
 * Returns whether the text is a document, or HTML with scripts, which the console must not include in its own page.
 */
export function isFullDocument(text: string): boolean {
  const start = text.trimStart().replace(/^(?:<!--[^]*?-->\s*)+/, '');
  if (!start.startsWith('<')) return false;
  return /^<(?:!doctype|html)[\s>]/i.test(start) || /<script[\s/>]/i.test(start);
}
