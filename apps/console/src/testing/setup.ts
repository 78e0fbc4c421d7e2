import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { startI18n } from '../i18n/i18n.ts';
import { currentNotices, dismiss } from '../ui/notices.ts';
import { server } from './server.ts';

// Screens are loaded when they are first shown, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 8000 });

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
  for (const { id } of currentNotices()) dismiss(id);
});

afterAll(() => server.close());
