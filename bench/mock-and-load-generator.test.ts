import { expect, onTestFinished, test } from 'vitest';
import { prepareTools } from './mock-and-load-generator.ts';
import { requestBytes } from './targets/target-and-requests.ts';

const CONNECTIONS = 2;
const MILLISECONDS = 50;

test.each([true, false])('the load generator measures the mock, with a compiler: %s', async (withCompiler) => {
  const tools = await prepareTools(withCompiler);
  const mock = await tools.startMock();
  onTestFinished(() => mock.stop());
  for (const stream of [false, true]) {
    const request = requestBytes({ port: mock.port, headers: {} }, { stream });
    const { requests, p50 } = await tools.load(mock.port, CONNECTIONS, MILLISECONDS, request);
    expect(requests).toBeGreaterThan(CONNECTIONS);
    expect(p50).toBeGreaterThan(0);
  }
});
