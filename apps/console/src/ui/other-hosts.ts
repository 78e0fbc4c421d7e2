/** Elements that load something by themselves; a picture within the text (`data:`) tells nobody. SVG is a document. */
const loading = 'img, picture, source, video, audio, track, image, feImage, use';

/** A copy in which what would load from elsewhere is a link, so that nobody is called before somebody clicks. */
export function withoutOtherHosts(fragment: DocumentFragment): DocumentFragment {
  const { ownerDocument } = fragment;
  const copy = ownerDocument.importNode(fragment, true);
  for (const element of copy.querySelectorAll(loading)) {
    const address = element.getAttribute('src') ?? '';
    if (element.localName === 'img' && /^data:image\/(?:png|jpeg|webp|gif)[;,]/i.test(address)) {
      element.removeAttribute('srcset');
      continue;
    }
    element.replaceWith(...(isWebAddress(address) ? [linkTo(ownerDocument, address, element)] : []));
  }
  // Old attributes that browsers still load from.
  for (const element of copy.querySelectorAll('[background], [poster]')) {
    element.removeAttribute('background');
    element.removeAttribute('poster');
  }
  return copy;
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

function linkTo(ownerDocument: Document, address: string, element: Element): HTMLAnchorElement {
  const link = ownerDocument.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = element.getAttribute('alt') || address;
  return link;
}
