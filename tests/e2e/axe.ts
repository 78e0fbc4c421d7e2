/** axe-core inside the page, in both colour schemes and at the widths of a desk and a phone. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

const WIDTHS = { desk: 1440, phone: 390 } as const;
const HEIGHT = 900;

/** Call before the first `goto`. Animations end at once, so that nothing is measured half transparent. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
}

/** Serious and critical violations of what is on the screen, light and dark, 1440 and 390 px wide; empty is good. */
export async function violations(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await repainted(page, colorScheme);
      // Only contrast can differ between the schemes.
      const rules = colorScheme === 'light' ? [] : ['color-contrast'];
      for (const what of await runAxe(page, rules)) found.push(`${where}, ${name}, ${colorScheme}: ${what}`);
    }
  }
  await page.setViewportSize({ width: WIDTHS.desk, height: HEIGHT });
  return found;
}

/** The longest that a colour may take to change. */
const FADE_MS = 600;

/** Until the page has the scheme, and colours that fade have arrived. */
async function repainted(page: Page, scheme: string): Promise<void> {
  await page.waitForFunction((name) => {
    const [red = 0] = getComputedStyle(document.body).color.match(/\d+/g)?.map(Number) ?? [];
    const writes = red < 128 ? 'light' : 'dark';
    return document.documentElement.dataset['colorScheme'] === name && writes === name;
  }, scheme);
  await page.waitForTimeout(FADE_MS);
}

function runAxe(page: Page, rules: string[]): Promise<string[]> {
  return page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ['violations'],
      ...(only.length === 0 ? {} : { runOnly: { type: 'rule', values: only } }),
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id} at ${html.slice(0, 160)}: ${failureSummary}`),
      );
  }, rules);
}
