import react from '@vitejs/plugin-react';
import { defineProject } from 'vitest/config';

/** Tests without JSX that need a DOM. */
const onPage = [
  'src/features/playground/composer/send-media-requests.test.ts',
  'src/features/playground/composer/use-chat.test.ts',
  'src/features/playground/composer/attachments.test.ts',
  'src/features/accounts/sign-up/captcha.test.ts',
  'src/i18n/languages.test.ts',
];

/** Tests of functions, without a DOM. */
export const functions = defineProject({
  root: import.meta.dirname,
  plugins: [react()],
  test: {
    name: 'console-pure',
    environment: 'node',
    isolate: false,
    include: ['src/**/*.test.ts'],
    exclude: onPage,
    testTimeout: 180_000,
  },
});

/** Tests of components and screens, with jsdom. */
export default defineProject({
  root: import.meta.dirname,
  plugins: [react()],
  test: {
    name: 'console',
    environment: 'jsdom',
    // All files share one jsdom page, because creating one takes longer than most tests. setup.ts resets it
    // after each test.
    isolate: false,
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.tsx', ...onPage],
    testTimeout: 180_000,
  },
});
