import { afterAll } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';

/** Starts one server for all tests of a file. It closes by itself after the last one. */
export async function useTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options);
  afterAll(() => app.close());
  return app;
}
