/** Collects the garbage of another Node process through its inspector, so that its resident memory is what it holds. */
import { once } from 'node:events';

/** @param port of its inspector on 127.0.0.1 (`--inspect`) */
export async function collectGarbage(port: number): Promise<void> {
  const list = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`There is no inspector on port ${port}`);
  const inspector = new WebSocket(target.webSocketDebuggerUrl);
  await once(inspector, 'open');
  const answered = once(inspector, 'message');
  inspector.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await answered;
  // A process with a connected inspector does not exit.
  const closed = once(inspector, 'close');
  inspector.close();
  await closed;
}
