/**
 * Does the work once the browser has shown what a press changed so far: a press is answered at once, and what takes
 * long follows. A tab that nobody sees shows no pictures, so there it happens at once.
 */
export function afterPaint(work: () => void): void {
  if (document.hidden) work();
  else requestAnimationFrame(() => setTimeout(work));
}
