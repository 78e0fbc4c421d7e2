/** Memory of idle streams, and of a client that reads slower than the upstream writes. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { residentBytes } from '../processes.ts';
import type { Row } from '../report.ts';
import { requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';

const SETTLE_MS = 3_000;
const MIB = 1024 * 1024;
const OPENING_AT_A_TIME = 100;

export async function measureMemory(run: BenchRun): Promise<Row[]> {
  // Before the idle streams, whose closing leaves garbage behind.
  const burst = await slowReader(run.switchyard);
  const before = residentBytes(run.switchyard.pid);
  const sockets = await openIdleStreams(run.switchyard, run.idleStreams);
  await pause(SETTLE_MS);
  const resident = residentBytes(run.switchyard.pid);
  for (const socket of sockets) socket.destroy();
  await pause(SETTLE_MS);
  const each = (resident - before) / run.idleStreams / 1024;
  return [
    {
      what: `${run.idleStreams.toLocaleString('en')} open idle streams`,
      wanted: '≤ 30 kB each, ≤ 400 MB resident',
      measured: `${each.toFixed(1)} kB each, ${Math.round(resident / MIB)} MB resident`,
      verdict: each <= 30 && resident <= 400 * MIB ? 'met' : 'missed',
    },
    {
      what: 'slow reader, 200 MB burst',
      wanted: '≤ +16 MB',
      measured: `+${(burst / MIB).toFixed(1)} MB`,
      verdict: burst <= 16 * MIB ? 'met' : 'missed',
    },
  ];
}

async function openIdleStreams(target: Target, count: number): Promise<Socket[]> {
  const request = requestBytes(target, { model: 'bench-idle', stream: true });
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(OPENING_AT_A_TIME, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openStream(target.port, request)))));
  }
  return sockets;
}

/** Resolves with the first bytes of the response's body. */
function openStream(port: number, request: Buffer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    let text = '';
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.slice(0, 500)));
      if (!text.includes('data: ')) return;
      socket.off('data', read);
      resolve(socket);
    };
    socket.on('data', read);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('an idle stream was closed')));
  });
}

/** Peak memory above the initial one while a client reads 1 MB a second of a 200 MB response. */
async function slowReader(target: Target): Promise<number> {
  const before = residentBytes(target.pid);
  const request = requestBytes(target, { model: 'bench-burst', stream: true });
  const socket = await openStream(target.port, request);
  let most = 0;
  let read = 0;
  socket.on('data', (bytes) => {
    read += bytes.length;
    socket.pause();
  });
  for (let tenth = 0; tenth < 80; tenth += 1) {
    while (read < ((tenth + 1) * MIB) / 10 && socket.isPaused()) {
      socket.resume();
      await pause(1);
    }
    most = Math.max(most, residentBytes(target.pid) - before);
    await pause(100);
  }
  socket.destroy();
  return most;
}
