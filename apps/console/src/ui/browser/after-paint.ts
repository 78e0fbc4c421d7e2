/**
 * Runs slow work after the next paint, so that the browser first shows the response to a click. A hidden tab
 * never paints, so there it runs at once.
 */
export function afterPaint(work: () => void): void {
  if (document.hidden) work();
  else requestAnimationFrame(() => setTimeout(work));
}
