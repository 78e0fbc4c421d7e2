/** Runs axe-core in light at a desk or in dark on a phone; the full size runs all four combinations. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { pick, sampleOf } from '../tier.ts';
import { atRest } from './browser.ts';

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

const WIDTHS = { desk: 1440, phone: 390 } as const;
const HEIGHT = 900;

interface Look {
  name: keyof typeof WIDTHS;
  colorScheme: 'light' | 'dark';
  /** Runs all rules, not only contrast. */
  isWhole: boolean;
}

/** Only contrast can differ between the schemes of one width. Every short run looks at one width. */
const looks = pick<readonly Look[]>(
  sampleOf<Look>(
    [
      { name: 'desk', colorScheme: 'light', isWhole: true },
      { name: 'phone', colorScheme: 'dark', isWhole: true },
    ],
    1,
  ),
  [
    { name: 'desk', colorScheme: 'light', isWhole: true },
    { name: 'desk', colorScheme: 'dark', isWhole: false },
    { name: 'phone', colorScheme: 'light', isWhole: true },
    { name: 'phone', colorScheme: 'dark', isWhole: false },
  ],
);

/** Call before the first `goto`. Animations end at once, so that nothing is measured half transparent. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
}

/**
 * Violations of what is on the screen, light and dark, 1440 and 390 px wide; empty is good.
 * @param without rules that do not fit what is open
 */
export async function violations(
  page: Page,
  where: string,
  without: readonly string[] = [],
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, colorScheme, isWhole } of looks) {
    await page.setViewportSize({ width: WIDTHS[name], height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await repainted(page, colorScheme);
    const options: RunOptions = isWhole
      ? withoutRules(without)
      : { runOnly: { type: 'rule', values: [CONTRAST] } };
    for (const what of await runAxe(page, options)) found.push(`${where}, ${name}, ${colorScheme}: ${what}`);
  }
  await page.setViewportSize({ width: WIDTHS.desk, height: HEIGHT });
  return found;
}

/** What another language can break: names of controls, and the page's own language. Contrast is the same in all. */
export async function violationsOfWords(page: Page, where: string): Promise<string[]> {
  const found = await runAxe(page, withoutRules([CONTRAST]));
  return found.map((what) => `${where}: ${what}`);
}

const CONTRAST = 'color-contrast';
const withoutRules = (names: readonly string[]): RunOptions => ({
  rules: Object.fromEntries(names.map((name) => [name, { enabled: false }])),
});

/** Until the page has the scheme, and colours that fade have arrived. */
async function repainted(page: Page, scheme: string): Promise<void> {
  await page.waitForFunction((name) => {
    const [red = 0] = getComputedStyle(document.body).color.match(/\d+/g)?.map(Number) ?? [];
    const writes = red < 128 ? 'light' : 'dark';
    return document.documentElement.dataset['colorScheme'] === name && writes === name;
  }, scheme);
  await atRest(page);
}

function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  return page.evaluate(async (chosen) => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...chosen });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} at ${html.slice(0, 160)}: ${failureSummary}`),
    );
  }, options);
}
