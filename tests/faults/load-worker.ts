/** Worker thread that requests a URL over many connections without pause until it is terminated. */
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const { url, connections } = z.object({ url: z.string(), connections: z.int() }).parse(workerData);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
let answered = 0;

function ask(): void {
  const again = (): void => void setImmediate(ask);
  get(url, { agent }, (response) => {
    response.resume();
    response.on('end', () => {
      answered += 1;
      if (answered === connections) parentPort?.postMessage('loading');
      again();
    });
  }).on('error', again);
}

for (let connection = 0; connection < connections; connection += 1) ask();
