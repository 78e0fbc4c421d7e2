import react from '@vitejs/plugin-react';
import { defineProject } from 'vitest/config';

/** Tests without JSX that need a page. */
const onPage = [
  'src/features/playground/composer/file-requests.test.ts',
  'src/features/playground/composer/use-chat.test.ts',
  'src/features/playground/composer/attachments.test.ts',
  'src/features/accounts/sign-up/captcha.test.ts',
  'src/i18n/languages.test.ts',
];

/** Functions, without a page. */
export const functions = defineProject({
  root: import.meta.dirname,
  plugins: [react()],
  test: {
    name: 'console-pure',
    environment: 'node',
    isolate: false,
    include: ['src/**/*.test.ts'],
    exclude: onPage,
    testTimeout: 20_000,
  },
});

/** Components and screens, on a page of jsdom. */
export default defineProject({
  root: import.meta.dirname,
  plugins: [react()],
  test: {
    name: 'console',
    environment: 'jsdom',
    // One page for all files: a new one costs more than most tests. setup.ts empties it after each test.
    isolate: false,
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.tsx', ...onPage],
    testTimeout: 60_000,
  },
});
