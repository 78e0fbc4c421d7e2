/** Checks for every list of the panel; each function restores the list's state. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const expectAddress = (page: Page, wanted: Record<string, string>) => expect.poll(() => query(page)).toEqual(wanted);

const getTable = (page: Page) => page.getByRole('table').last();
const getColumnHeader = (page: Page, name: string) => getTable(page).getByRole('columnheader', { name, exact: true });
/** Returns the text of the first row, once it exists. */
const readFirstRow = (page: Page) => getTable(page).getByRole('row').nth(1).innerText();

/** A chip filters the list, is in the URL, survives a reload, and can be cleared. */
export async function expectChip(page: Page, chip: string, option: string, address: Record<string, string>) {
  const before = query(page);
  await page.getByRole('search').getByRole('button', { name: chip, exact: true }).click();
  await page.getByRole('menuitem', { name: option, exact: true }).click();
  await expectAddress(page, { ...before, ...address });
  await page.reload();
  const chosen = page.getByRole('search').getByRole('button', { name: new RegExp(`^${chip}: .*${option}`) });
  await chosen.waitFor();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await chosen.waitFor({ state: 'detached' });
  await expectAddress(page, before);
}

/** A column sorts in ascending, descending and no order, with `aria-sort`, and the rows move. */
export async function expectSort(page: Page, column: string, id: string, up: RegExp, down: RegExp) {
  const before = query(page);
  const head = getColumnHeader(page, column);
  await head.getByRole('button').click();
  await expectAddress(page, { ...before, order: id });
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(() => readFirstRow(page)).toMatch(up);
  await head.getByRole('button').click();
  await expectAddress(page, { ...before, order: `-${id}` });
  expect(await head.getAttribute('aria-sort')).toBe('descending');
  await expect.poll(() => readFirstRow(page)).toMatch(down);
  await head.getByRole('button').click();
  await expectAddress(page, before);
  expect(await head.getAttribute('aria-sort')).toBeNull();
}

/** The default column sorts from the top in the other direction and back. */
export async function expectDefaultSort(page: Page, column: string, id: string) {
  const before = query(page);
  const head = getColumnHeader(page, column);
  expect(await head.getAttribute('aria-sort')).toBe('descending');
  await head.getByRole('button').click();
  await expectAddress(page, { ...before, order: id });
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await head.getByRole('button').click();
  await expectAddress(page, before);
  expect(await head.getAttribute('aria-sort')).toBe('descending');
}

/** The page size is chosen and kept, and Back returns from the second page. */
export async function expectPages(page: Page, total: string) {
  // While rows still arrive, they push the footer away from below the pointer.
  await page.getByText(new RegExp(`^1–\\d+ of ${total}$`)).waitFor();
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await page.getByRole('option', { name: '20', exact: true }).click();
  const [one, two] = ['1–20', '21–40'].map((range) => page.getByText(new RegExp(`^${range} of ${total}$`)));
  await one?.waitFor();
  await expectAddress(page, { size: '20' });
  await page.getByRole('button', { name: 'Go to page 2' }).click();
  await two?.waitFor();
  await expectAddress(page, { size: '20', page: '2' });
  await page.goBack();
  await one?.waitFor();
  await expectAddress(page, { size: '20' });
}

/** A search without results says so, and one press restores the rows. */
export async function expectEmpty(page: Page, sentence: string) {
  const box = page.getByRole('searchbox').last();
  await box.fill('no-such-thing-anywhere');
  await page.getByText(sentence).waitFor();
  expect(await getTable(page).getByRole('row').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  expect(await box.inputValue()).toBe('');
  await getTable(page).getByRole('row').nth(1).waitFor();
}
