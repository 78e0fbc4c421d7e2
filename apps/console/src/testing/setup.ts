import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { startI18n } from '../i18n/i18n.ts';
import { currentToasts, dismissToast } from '../ui/feedback/toasts.ts';
import { server } from './server.ts';

const given = getConfig();

configure({
  // Only an element that never appears takes this long, even on a busy machine.
  asyncUtilTimeout: 30_000,
  // The message alone: printing the whole page takes longer than searching it.
  getElementError: (message) => new Error(message ?? 'There is no such element'),
  // Screens are loaded when they are first shown. How long that takes on a busy machine says nothing of the screen, so the
  // wait for what it shows begins afterwards.
  asyncWrapper: async (wait) => {
    await vi.dynamicImportSettled();
    return given.asyncWrapper(wait);
  },
});

// jsdom lays nothing out, so nothing ever comes into sight.
vi.stubGlobal(
  'IntersectionObserver',
  class {
    observe() {}
    disconnect() {}
  },
);

beforeAll(async () => {
  server.listen({ onUnhandledFrame: 'error' });
  await startI18n('en_US');
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
  localStorage.clear();
  // The files share one page, so a notice would still be there for the next test.
  for (const { id } of currentToasts()) dismissToast(id);
});

afterAll(() => server.close());
