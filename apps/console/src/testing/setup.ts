import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { startI18n } from '../i18n/i18n.ts';
import { currentToasts, dismissToast, toastDurations } from '../ui/feedback/toasts.ts';
import { server } from './mock-api-server.ts';

const given = getConfig();

configure({
  // Only a missing element takes this long, even on a busy machine.
  asyncUtilTimeout: 60_000,
  // Only the message, because printing the whole page takes longer than searching it.
  getElementError: (message) => new Error(message ?? 'the element does not exist'),
  // Screens load on first use. The timeout starts afterwards, because loading depends on the machine only.
  asyncWrapper: async (wait) => {
    await vi.dynamicImportSettled();
    return given.asyncWrapper(wait);
  },
});

// jsdom has no layout, so nothing ever intersects the viewport.
vi.stubGlobal(
  'IntersectionObserver',
  class {
    observe() {}
    disconnect() {}
  },
);

const usualDurations = { ...toastDurations };

beforeAll(async () => {
  // On a busy machine a toast would be gone before its test looks for it.
  Object.assign(toastDurations, { error: 60_000, warning: 60_000, success: 60_000, info: 60_000 });
  server.listen({ onUnhandledFrame: 'error' });
  await startI18n('en_US');
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
  localStorage.clear();
  // Test files share a page, so a toast would remain for the next test.
  for (const { id } of currentToasts()) dismissToast(id);
});

afterAll(() => {
  Object.assign(toastDurations, usualDurations);
  server.close();
});
