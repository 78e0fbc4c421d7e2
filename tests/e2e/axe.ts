/**
 * Runs axe-core in both colour schemes and at desktop and phone width; each run checks some combinations of each
 * screen.
 */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { momentOf, pick } from '../tier.ts';
import { waitForAnimations } from './browser.ts';

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

const WIDTHS = { desk: 1440, phone: 390 } as const;
const HEIGHT = 900;

interface AxeViewport {
  name: keyof typeof WIDTHS;
  colorScheme: 'light' | 'dark';
}

/** Two successive ones from the first or the third have both widths and both schemes. */
const viewports: readonly AxeViewport[] = [
  { name: 'desk', colorScheme: 'light' },
  { name: 'phone', colorScheme: 'dark' },
  { name: 'desk', colorScheme: 'dark' },
  { name: 'phone', colorScheme: 'light' },
];
let turn = 0;

/** A short run checks each screen once, the full size twice. Combinations alternate and differ between runs. */
function nextViewports(): readonly AxeViewport[] {
  turn += 1;
  const at = Math.floor(momentOf(0) * viewports.length) + turn;
  const first = pick(at, 2 * at) % viewports.length;
  return viewports.slice(first, first + pick(1, 2));
}

/** Call before the first `goto`. Animations end at once, so that nothing is measured half transparent. */
export async function installAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
}

/**
 * Returns the violations on the screen in this combination; expected to be empty.
 * @param without rules that do not apply to the open content
 */
export async function findViolations(page: Page, where: string, without: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const { name, colorScheme } of nextViewports()) {
    await page.setViewportSize({ width: WIDTHS[name], height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await waitForRepaint(page, colorScheme);
    for (const what of await runAxe(page, excludeRules(without)))
      found.push(`${where}, ${name}, ${colorScheme}: ${what}`);
  }
  await page.setViewportSize({ width: WIDTHS.desk, height: HEIGHT });
  return found;
}

/** Rules that another language can violate: names of controls, and the page's language. Contrast does not change. */
export async function findTextViolations(page: Page, where: string): Promise<string[]> {
  const found = await runAxe(page, excludeRules([CONTRAST]));
  return found.map((what) => `${where}: ${what}`);
}

const CONTRAST = 'color-contrast';
const excludeRules = (names: readonly string[]): RunOptions => ({
  rules: Object.fromEntries(names.map((name) => [name, { enabled: false }])),
});

/** Waits until the page has the scheme and colour transitions have ended. */
async function waitForRepaint(page: Page, scheme: string): Promise<void> {
  await page.waitForFunction((name) => {
    const [red = 0] = getComputedStyle(document.body).color.match(/\d+/g)?.map(Number) ?? [];
    const writes = red < 128 ? 'light' : 'dark';
    return document.documentElement.dataset['colorScheme'] === name && writes === name;
  }, scheme);
  await waitForAnimations(page);
}

function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  return page.evaluate(async (chosen) => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...chosen });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} at ${html.slice(0, 160)}: ${failureSummary}`),
    );
  }, options);
}
