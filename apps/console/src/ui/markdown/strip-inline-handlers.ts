const sheets = /<style[\s/>][\s\S]*?(?:<\/style\s*>|$)/gi;
const tags = /<[a-z](?:=\s*"[^"]*"|=\s*'[^']*'|[^>])*/gi;
const attributes = /=\s*"[^"]*"|=\s*'[^']*'|(?<=[\s"'/])(?:on[\w-]+|style)(?=\s*=)/gi;

/**
 * Takes handlers and styles out of HTML before it is parsed. They would not run in any case, but the browser reports
 * each as a violation of the page's policy as soon as any document has it. What makes HTML safe is the sanitiser.
 */
export function stripInlineHandlers(html: string): string {
  return html
    .replace(sheets, '')
    .replace(tags, (tag) => tag.replace(attributes, (part) => (part.startsWith('=') ? part : 'data-off')));
}
