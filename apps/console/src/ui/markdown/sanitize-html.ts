import DOMPurify from 'dompurify';
import { allowedAttributes, allowedElements, isAllowedAttribute } from './allowed-html.ts';

DOMPurify.addHook('uponSanitizeAttribute', (node, attribute) => {
  const { attrName, attrValue } = attribute;
  attribute.keepAttr = isAllowedAttribute(node.nodeName.toLowerCase(), attrName, attrValue);
});
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  // Both HTML and SVG links.
  if (node.localName === 'a') {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
});

/**
 * Returns the allowed parts of the HTML in a separate document, where nothing loads; undefined for HTML
 * without a body, for instance a frameset.
 */
export function sanitizeHtml(html: string): DocumentFragment | undefined {
  const fragment: DocumentFragment | null = DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...allowedElements],
    ALLOWED_ATTR: [...allowedAttributes],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  return fragment ?? undefined;
}
