/** Collects the garbage of another Node process through its inspector, and measures its memory. */
import { once } from 'node:events';

interface HeapUsage {
  usedSize: number;
  backingStorageSize: number;
}

/**
 * Collects the garbage of a process, so that only live memory is counted.
 * @param port port of its inspector on 127.0.0.1 (`--inspect`)
 * @returns bytes on its heap and in buffers
 */
export async function collectGarbage(port: number): Promise<number> {
  const list = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`There is no inspector on port ${port}`);
  const inspector = new WebSocket(target.webSocketDebuggerUrl);
  await once(inspector, 'open');
  const ask = async (id: number, method: string): Promise<unknown> => {
    const answered = once(inspector, 'message');
    inspector.send(JSON.stringify({ id, method }));
    const [{ data }] = (await answered) as [{ data: string }];
    return (JSON.parse(data) as { result: unknown }).result;
  };
  await ask(1, 'HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = (await ask(2, 'Runtime.getHeapUsage')) as HeapUsage;
  // A process with a connected inspector does not exit.
  const closed = once(inspector, 'close');
  inspector.close();
  await closed;
  return usedSize + backingStorageSize;
}
