/** A browser's measurements of a page load. */
import type { Page } from 'playwright-core';

export interface PageMetrics {
  /** Ms from the request: the first and the largest content, the first row of a table (NaN: there is none). */
  firstContent: number;
  largestContent: number;
  firstRow: number;
  /** Ms beyond 50 of each task that blocked the page. */
  blocked: number;
  /** Cumulative layout shift as Lighthouse computes it: 0.1 is good. */
  shift: number;
  /** Bytes over the wire. */
  script: number;
}

declare global {
  interface Window {
    figures: Omit<PageMetrics, 'script'>;
  }
}

/** Call before `goto`, on a new page. */
export async function observePageLoad(page: Page): Promise<() => Promise<PageMetrics>> {
  let script = 0;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  const scripts = new Set<string>();
  cdp.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) script += encodedDataLength;
  });
  await page.addInitScript(() => {
    const none = Number.NaN;
    const figures = { firstContent: none, largestContent: none, firstRow: none, blocked: 0, shift: 0 };
    window.figures = figures;
    const watch = <E>(type: string, tell: (entry: PerformanceEntry & E) => void): void =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tell(entry as PerformanceEntry & E);
      }).observe({ type, buffered: true });
    watch('paint', ({ name, startTime }) => {
      if (name === 'first-contentful-paint') figures.firstContent = startTime;
    });
    watch('largest-contentful-paint', ({ startTime }) => {
      figures.largestContent = startTime;
    });
    watch('longtask', ({ duration }) => {
      figures.blocked += duration - 50;
    });
    watch<{ value: number; hadRecentInput: boolean }>('layout-shift', ({ value, hadRecentInput }) => {
      if (!hadRecentInput) figures.shift += value;
    });
    const rows = new MutationObserver(() => {
      if (document.querySelector('tbody tr[tabindex] td') === null) return;
      rows.disconnect();
      requestAnimationFrame(() =>
        setTimeout(() => {
          figures.firstRow = performance.now();
        }),
      );
    });
    rows.observe(document, { childList: true, subtree: true });
  });
  return async () => ({ ...(await page.evaluate(() => window.figures)), script });
}
