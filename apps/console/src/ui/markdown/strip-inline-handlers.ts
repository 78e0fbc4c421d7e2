const sheets = /<style[\s/>][\s\S]*?(?:<\/style\s*>|$)/gi;
const tags = /<[a-z](?:=\s*"[^"]*"|=\s*'[^']*'|[^>])*/gi;
const attributes = /=\s*"[^"]*"|=\s*'[^']*'|(?<=[\s"'/])(?:on[\w-]+|style)(?=\s*=)/gi;

/**
 * Removes event handlers and styles from HTML before parsing. The sanitiser makes HTML safe; this only
 * prevents the browser from reporting each of them as a CSP violation.
 */
export function stripInlineHandlers(html: string): string {
  return html
    .replace(sheets, '')
    .replace(tags, (tag) => tag.replace(attributes, (part) => (part.startsWith('=') ? part : 'data-off')));
}
