/** Returns a copy in which images that load from an address are links: no host is called before the reader clicks. */
export function withoutOtherHosts(fragment: DocumentFragment): DocumentFragment {
  const { ownerDocument } = fragment;
  const copy = ownerDocument.importNode(fragment, true);
  for (const source of copy.querySelectorAll('source')) source.remove();
  for (const picture of copy.querySelectorAll('picture')) picture.replaceWith(...picture.childNodes);
  for (const image of copy.querySelectorAll('img')) {
    const address = image.getAttribute('src') ?? '';
    image.removeAttribute('srcset');
    if (address.startsWith('data:')) continue;
    image.replaceWith(...(isWebAddress(address) ? [linkTo(ownerDocument, address, image)] : []));
  }
  return copy;
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

function linkTo(ownerDocument: Document, address: string, image: Element): HTMLAnchorElement {
  const link = ownerDocument.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = image.getAttribute('alt') || address;
  return link;
}
