/** A new tab that learns nothing about this one. */
export function openOutside(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}
