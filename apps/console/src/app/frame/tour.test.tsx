import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { wireSite } from '../../testing/wire-samples.ts';
import { Tour } from './tour.tsx';

const hidden = new Set<string>();
const frame = (
  <>
    <nav data-tour="navigation" />
    <button type="button" data-tour="palette" />
    <button type="button" data-tour="account" />
    <Tour />
  </>
);

beforeEach(() => {
  hidden.clear();
  script('get', '/api/status', () => succeed(wireSite));
  // jsdom has no layout.
  Element.prototype.checkVisibility = vi.fn(function visible(this: HTMLElement) {
    return !hidden.has(this.dataset['tour'] ?? '');
  });
});

it('visits each stop and ends after the last one', async () => {
  const { user, search } = show(frame, '/panel/dashboard?tour=1&days=30');
  expect(await screen.findByRole('dialog', { name: 'All pages' })).toBeTruthy();
  expect(screen.getByText('1 of 3')).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Next');
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Search or go to' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await user.click(await screen.findByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(search()).toEqual({ days: '30' });
});

it('skips hidden elements and ends on Escape', async () => {
  hidden.add('navigation');
  const { user, search } = show(frame, '/panel/dashboard?tour=1');
  expect(await screen.findByRole('dialog', { name: 'Search or go to' })).toBeTruthy();
  expect(screen.getByText('1 of 2')).toBeTruthy();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(search()).toEqual({}));
});

it.each(['', '0', '9', 'x', '-1', '1.5'])('shows nothing for ?tour=%s', (at) => {
  show(frame, `/panel/dashboard?tour=${at}`);
  expect(screen.queryByRole('dialog')).toBeNull();
});
