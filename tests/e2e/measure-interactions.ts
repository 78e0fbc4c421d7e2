/** Interactions with a table of a hundred rows, and the time from an input to the next frame. */
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** Longest event of each interaction so far. */
    waits: Map<number, number>;
  }
}

/** Minimum duration of reported events. */
const SHORTEST_MS = 16;
/** Time after which the browser has reported an event. */
const EVENT_TIMING_DELAY_MS = 120;
/** About 50 ms on an idle machine. */
const CALIBRATION_ITERATIONS = 40_000_000;
const BETWEEN_LETTERS_MS = 60;

/** Call before the first `goto`. */
export async function observeEventTiming(page: Page): Promise<void> {
  await page.addInitScript((durationThreshold) => {
    window.waits = new Map();
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
        const { interactionId, duration } = entry;
        if (interactionId > 0)
          window.waits.set(interactionId, Math.max(duration, window.waits.get(interactionId) ?? 0));
      }
    }).observe({ type: 'event', durationThreshold, buffered: true } as PerformanceObserverInit);
  }, SHORTEST_MS);
}

export interface Interaction {
  name: string;
  /** Not measured. */
  prepare?: (page: Page) => Promise<void>;
  act: (page: Page) => Promise<void>;
  /** Restores the previous state; not measured. */
  undo?: (page: Page) => Promise<void>;
}

export interface TableScreen {
  path: string;
  interactions: readonly Interaction[];
}

/**
 * Queries nothing in the page during the interaction, because that would be measured too.
 * @returns ms until the next frame after its slowest input; 0 if each was too fast to be reported
 */
export async function timeInteraction(page: Page, { prepare, act, undo }: Interaction): Promise<number> {
  await prepare?.(page);
  await waitUntilIdle(page);
  await page.evaluate(() => window.waits.clear());
  await act(page);
  await waitUntilIdle(page);
  const slowest = await page.evaluate(() => Math.max(0, ...window.waits.values()));
  await undo?.(page);
  return slowest;
}

/** Ms until the frame after a press that causes constant work in the page: the current speed of the machine. */
export async function timeCalibration(page: Page): Promise<number> {
  await page.evaluate((turns) => {
    const work = (): void => {
      let value = 1;
      for (let turn = 0; turn < turns; turn += 1) value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
      // Used, so that the loop is not optimized away.
      document.body.dataset['worked'] = String(value);
    };
    addEventListener('keydown', work, { once: true, capture: true });
  }, CALIBRATION_ITERATIONS);
  return await timeInteraction(page, { name: 'yardstick', act: () => page.keyboard.press('Shift') });
}

/** Opens the screen and waits for its hundred rows. */
export async function openTable(page: Page, url: string, { path }: TableScreen): Promise<void> {
  await page.goto(url + path);
  await page.locator('main tbody tr:nth-of-type(100) td').first().waitFor({ state: 'attached' });
  await waitUntilIdle(page);
}

async function waitUntilIdle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  // A frame is reported after it is shown, which on a busy machine takes longer than any fixed time.
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }),
  );
  await page.waitForTimeout(EVENT_TIMING_DELAY_MS);
}

/** Waits for it first: content that arrives in pieces may come after the frame, and would stay open. */
const close = async (page: Page, role: 'menu' | 'dialog'): Promise<void> => {
  const opened = page.getByRole(role);
  await opened.waitFor();
  await waitUntilIdle(page);
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
};
const openViewOptions = (page: Page) => page.getByRole('button', { name: 'View options' });

const chooseColumns: Interaction = {
  name: 'open the column chooser',
  act: (page) => openViewOptions(page).click(),
  undo: (page) => close(page, 'menu'),
};

/** A column, or the rows' height. */
const changeView = (name: string, item: string): Interaction => {
  const toggle = (page: Page) => page.getByRole('menuitemcheckbox', { name: item, exact: true }).click();
  return {
    name,
    async prepare(page) {
      await openViewOptions(page).click();
      await page.getByRole('menu').waitFor();
    },
    act: toggle,
    async undo(page) {
      await toggle(page);
      await close(page, 'menu');
    },
  };
};
const density = changeView('toggle density', 'Comfortable rows');

const search = (text: string): Interaction => {
  const box = (page: Page) => page.locator('main').getByRole('searchbox').first();
  return {
    name: 'type in the search box',
    async act(page) {
      await box(page).click();
      await page.keyboard.type(text, { delay: BETWEEN_LETTERS_MS });
    },
    async undo(page) {
      await box(page).fill('');
      await page.locator('main tbody tr:nth-of-type(100) td').first().waitFor({ state: 'attached' });
    },
  };
};

const sort = (column: string): Interaction => {
  const click = (page: Page) => page.getByRole('columnheader', { name: column }).getByRole('button').first().click();
  return {
    name: 'sort',
    act: click,
    async undo(page) {
      await waitUntilIdle(page);
      await click(page);
      await waitUntilIdle(page);
      await click(page);
    },
  };
};

const turnPage: Interaction = {
  name: 'switch the page',
  act: (page) => page.getByRole('button', { name: 'Go to page 2', exact: true }).click(),
  undo: (page) => page.getByRole('button', { name: 'Go to page 1', exact: true }).click(),
};

const openRow: Interaction = {
  name: 'open a row in the drawer',
  act: (page) => page.locator('main tbody tr').nth(4).locator('td').nth(-2).click(),
  undo: (page) => close(page, 'dialog'),
};

const rowMenu: Interaction = {
  name: "open a row's menu",
  act: (page) => page.locator('main tbody tr').nth(3).getByRole('button', { name: 'More' }).click(),
  undo: (page) => close(page, 'menu'),
};

const selectRow: Interaction = {
  name: 'select a row',
  act: (page) => page.getByRole('checkbox', { name: 'Select row' }).nth(2).click(),
  undo: (page) => page.getByRole('checkbox', { name: 'Select row' }).nth(2).click(),
};

const selectAll: Interaction = {
  name: 'select all rows',
  act: (page) => page.getByRole('checkbox', { name: 'Select all rows' }).click(),
  undo: (page) => page.getByRole('checkbox', { name: 'Select all rows' }).click(),
};

export const tableScreens: Readonly<Record<'log' | 'channels' | 'users', TableScreen>> = {
  log: {
    path: '/panel/log?size=100',
    interactions: [
      search('claude'),
      sort('Cost'),
      turnPage,
      openRow,
      chooseColumns,
      changeView('hide a column', 'Token'),
      density,
    ],
  },
  channels: {
    path: '/panel/channel?size=100',
    interactions: [search('many'), sort('Name'), selectRow, selectAll, rowMenu, openRow, chooseColumns, density],
  },
  users: {
    path: '/panel/user?size=100',
    interactions: [search('person'), sort('Name'), selectRow, selectAll, chooseColumns, density],
  },
};
