import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { wireSite } from '../../testing/wire-samples.ts';
import { currentToasts, dismissToast, notify, toastDurations } from './toasts.ts';

const usualDurations = { ...toastDurations };

beforeEach(() => {
  Object.assign(toastDurations, usualDurations);
  script('get', '/api/status', () => succeed(wireSite));
});

afterEach(() => {
  vi.useRealTimers();
  for (const { id } of currentToasts()) dismissToast(id);
});

it('shows at most three toasts and each text once', () => {
  for (const text of ['one', 'two', 'two', 'three', 'four']) notify('info', text);
  expect(currentToasts().map(({ message }) => message)).toEqual(['two', 'three', 'four']);
});

it.each([
  ['success', 1500],
  ['info', 3000],
  ['error', 5000],
  ['warning', 10_000],
] as const)('shows a toast of kind %s for %i ms', (kind, milliseconds) => {
  notify(kind, kind);
  expect(currentToasts()[0]?.duration).toBe(milliseconds);
});

it('disappears by itself, but not while the pointer is over it', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user } = show('screen');
  await screen.findByText('screen');
  act(() => notify('success', '1 token disabled'));
  const card = await screen.findByText('1 token disabled');
  await user.hover(card);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.getByText('1 token disabled')).toBeTruthy();
  await user.unhover(card);
  await act(() => vi.advanceTimersByTimeAsync(1_600));
  await vi.waitFor(() => expect(screen.queryByText('1 token disabled')).toBeNull());
  vi.useRealTimers();
});

it('undoes once and closes', async () => {
  const undo = vi.fn();
  const { user } = show('screen');
  await screen.findByText('screen');
  act(() => notify('success', 'deleted', { undo }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledTimes(1);
  expect(currentToasts()).toEqual([]);
});
