import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../testing/render.tsx';
import { FailedScreen } from './error-boundary.tsx';

const showError = (error: Error) => show(<FailedScreen error={error} onRetry={() => {}} />);

it.each([
  ['Chromium', 'Failed to fetch dynamically imported module: https://gateway/assets/users-page-1.js'],
  ['Firefox', 'error loading dynamically imported module: https://gateway/assets/users-page-1.js'],
  ['Safari', 'Importing a module script failed.'],
  ['the style loader', 'Unable to preload CSS for /assets/users-page-1.css'],
])('offers a reload when a file of the console is missing, as reported by %s', async (_, message) => {
  showError(new TypeError(message));
  expect(await screen.findByRole('button', { name: 'Reload' })).toBeTruthy();
});

it('offers a retry after any other error', async () => {
  showError(new TypeError('x is undefined'));
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Reload' })).toBeNull();
});
