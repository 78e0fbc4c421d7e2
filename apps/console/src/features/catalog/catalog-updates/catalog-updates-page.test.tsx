import type { CatalogueLine, CatalogueNotices, Comparison } from '@switchyard/contract/catalog/catalog-updates';
import { RATE_OF_USD_PER_MILLION } from '@switchyard/contract/catalog/price-rates';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { CatalogUpdatesPage } from './catalog-updates-page.tsx';

const usd = (amount: number): number => amount * RATE_OF_USD_PER_MILLION;

function line(model: string, more: Partial<CatalogueLine> = {}): CatalogueLine {
  const changes = [{ field: 'rates.input', before: usd(1), after: usd(2) }];
  return { model, kind: 'changed', type: 'tokens', locked: false, extreme: false, version: 4, changes, ...more };
}

function compared(...lines: CatalogueLine[]): Comparison {
  return {
    id: 7,
    source: 'text',
    format: 'switchyard',
    created_time: 1_790_000_000,
    entries: 9,
    lines,
    problems: [],
    problem_count: 0,
  };
}

const quiet: CatalogueNotices = { refresh: null, pending: null, unpriced: [], retiring: [] };
const page = <CatalogUpdatesPage />;

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/catalogue/notices', () => succeed(quiet));
});

it('applies the chosen changes with the compared versions', async () => {
  const sent = script('post', '/api/catalogue/compare', () =>
    succeed(
      compared(
        line('a'),
        line('b', { kind: 'added', version: 0 }),
        line('c', { kind: 'gone' }),
        line('d', { locked: true }),
      ),
    ),
  );
  const applied = script('post', '/api/catalogue/list/7/apply', () => succeed({ added: 0, changed: 1, removed: 0 }));
  const { user } = show(page, '/panel/catalogue');
  await user.click(await screen.findByRole('button', { name: 'File or text' }));
  await user.type(screen.getByLabelText('List content'), '42');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect((await screen.findAllByText('$1.00 / 1M → $2.00 / 1M')).length).toBeGreaterThan(0);
  expect(sent[0]?.body).toEqual({ from: 'text', text: '42' });
  expect(screen.queryByRole('checkbox', { name: 'Apply c' })).toBeNull();
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Apply d' }).disabled).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: 'Apply b' }));
  await user.click(screen.getByRole('button', { name: 'Apply 1 change' }));
  await screen.findByText('0 added, 1 changed, 0 deleted');
  expect(applied[0]?.body).toEqual({ mode: 'update', lines: [{ model: 'a', version: 4 }], confirmed: false });
});

it('asks for a confirmation before a price changes a thousandfold, and names it', async () => {
  script('get', '/api/catalogue/list/7', () => succeed(compared(line('steep', { extreme: true }))));
  const applied = script('post', '/api/catalogue/list/7/apply', () => succeed({ added: 0, changed: 1, removed: 0 }));
  const { user } = show(page, '/panel/catalogue?list=7');
  await user.click(await screen.findByRole('button', { name: 'Apply 1 change' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText(/steep/)).toBeTruthy();
  expect(applied).toHaveLength(0);
  await user.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(applied[0]?.body).toMatchObject({ confirmed: true }));
});

it('deletes only chosen prices, after their number is typed', async () => {
  const gone = { kind: 'gone' } as const;
  script('get', '/api/catalogue/list/7', () => succeed(compared(line('x', gone), line('y', gone))));
  const applied = script('post', '/api/catalogue/list/7/apply', () => succeed({ added: 0, changed: 0, removed: 2 }));
  const { user } = show(page, '/panel/catalogue?list=7');
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Apply 0 changes' })).disabled).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Overwrite' }));
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Apply 0 changes' }).disabled).toBe(true);
  expect(screen.queryByRole('checkbox', { name: 'Select all shown' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Not in the list 2' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select all shown' }));
  await user.click(screen.getByRole('button', { name: 'Apply 2 changes' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  await user.type(dialog.getByRole('textbox'), '2');
  await user.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(applied[0]?.body).toMatchObject({ mode: 'overwrite', confirmed: true }));
});

it('explains why a list could not be read, with the position', async () => {
  const message = 'This is not valid JSON: see position 35 (line 2 column 3)';
  script('post', '/api/catalogue/compare', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'text', rule: 'bad-json', message }] }),
  );
  const { user } = show(page, '/panel/catalogue');
  await user.click(await screen.findByRole('button', { name: 'File or text' }));
  await user.type(screen.getByLabelText('List content'), 'x');
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  expect(await screen.findByText('This is not valid JSON · Line 2, column 3')).toBeTruthy();
});

it('shows the skipped entries with their positions', async () => {
  const problems = [{ place: 'prices.3.rates.input', model: 'minus', rule: 'negative', message: '' }];
  script('get', '/api/catalogue/list/7', () => succeed({ ...compared(), problems, problem_count: 1 }));
  show(page, '/panel/catalogue?list=7');
  expect(await screen.findByText('prices.3.rates.input')).toBeTruthy();
  expect(screen.getByText(/Negative price/)).toBeTruthy();
});

it('shows why the fetch of the operator’s list failed and when it is repeated', async () => {
  const refresh = {
    address: 'https://list.example/models.json',
    tried_time: 1_790_000_000,
    read_time: 0,
    next_time: 1_790_003_600,
    problem: 'bad-json' as const,
  };
  script('get', '/api/catalogue/notices', () => succeed({ ...quiet, refresh }));
  show(page, '/panel/catalogue');
  const alert = within(await screen.findByRole('alert'));
  expect(alert.getByText(/^https:\/\/list\.example\/models\.json could not be read on/)).toBeTruthy();
  expect(alert.getByText('This is not valid JSON')).toBeTruthy();
  expect(alert.getByText(/Next attempt: .* It has never been read successfully\./)).toBeTruthy();
});

it('prices a model with one click and replaces a retired one after showing both prices', async () => {
  script('get', '/api/catalogue/notices', () =>
    succeed({
      ...quiet,
      unpriced: [{ model: 'host/new', suggested: { input: usd(1.5), output: usd(6) } }],
      retiring: [
        {
          model: 'old',
          retires: '2026-01-01',
          retired: true,
          successor: 'newer',
          price: { type: 'tokens', input: usd(1), output: usd(2) },
          successor_price: { type: 'tokens', input: usd(30), output: usd(40) },
        },
      ],
    }),
  );
  const adopted = script('post', '/api/catalogue/adopt', () => succeed({ added: 1 }));
  const replaced = script('post', '/api/catalogue/replace', () => succeed({ channels: 2 }));
  const { user } = show(page, '/panel/catalogue');
  await user.click(await screen.findByRole('button', { name: 'Use $1.50 / $6.00' }));
  await screen.findByText('1 price added');
  expect(adopted[0]?.body).toEqual({ models: ['host/new'] });
  await user.click(screen.getByRole('button', { name: 'Map to newer' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText(/Now: \$1\.00 input, \$2\.00 output .* Afterwards: \$30\.00 input, \$40\.00/)).toBeTruthy();
  expect(replaced).toHaveLength(0);
  await user.click(dialog.getByRole('button', { name: 'Map to newer' }));
  await screen.findByText('2 channels changed');
  expect(replaced[0]?.body).toEqual({ model: 'old', by: 'newer' });
});
