/** The load generator in Node, for machines without a C compiler; see load.c. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

const [port = 0, connections = 0, milliseconds = 0] = process.argv.slice(2, 5).map(Number);
const request = readFileSync(process.argv[5] ?? '');
const markers = [...request.toString('latin1').matchAll(/@{8}/g)].map(({ index }) => index);
let number = Number(process.argv[6]);
const latencies: number[] = [];
let errors = 0;

interface Reading {
  startedAt: number;
  head: Buffer;
  status: number;
  /** Remaining bytes of the body; undefined while the head is read, -1 for a chunked body. */
  left: number | undefined;
  tail: Buffer;
}

const DRAIN_MS = 10_000;
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

function begin(socket: Socket, reading: Reading): void {
  reading.startedAt = performance.now();
  reading.head = Buffer.alloc(0);
  reading.left = undefined;
  reading.tail = Buffer.alloc(0);
  socket.write(markers.length === 0 ? request : numbered());
}

/** A copy, because the socket may still be sending the last one. */
function numbered(): Buffer {
  const copy = Buffer.from(request);
  for (const at of markers) copy.write(String(number).padStart(8, '0'), at, 'latin1');
  number = (number + 1) % 100_000_000;
  return copy;
}

function finish(socket: Socket, reading: Reading): void {
  latencies.push((performance.now() - reading.startedAt) * 1000);
  if (reading.status !== 200) {
    errors += 1;
    if (errors === 1) console.error(reading.head.toString());
  }
  if (performance.now() - started < milliseconds) begin(socket, reading);
  else if ((waiting -= 1) === 0) report();
}

function report(): void {
  const seconds = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  console.log(JSON.stringify({ requests: sorted.length, errors, seconds, p50: at(0.5), p99: at(0.99) }));
  process.exit(0);
}

function consume(socket: Socket, reading: Reading, bytes: Buffer): void {
  let body = bytes;
  if (reading.left === undefined) {
    reading.head = reading.head.length === 0 ? bytes : Buffer.concat([reading.head, bytes]);
    const end = reading.head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = reading.head.toString('latin1', 0, end);
    reading.status = Number(head.slice(9, 12));
    reading.left = Number(/\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1] ?? -1);
    body = reading.head.subarray(end + 4);
  }
  if (reading.left >= 0) {
    reading.left -= body.length;
    if (reading.left <= 0) finish(socket, reading);
    return;
  }
  // Each connection has one request at a time, so the end mark can only be at the end of the received bytes.
  reading.tail = Buffer.concat([reading.tail, body]).subarray(-END_OF_CHUNKS.length);
  if (reading.tail.equals(END_OF_CHUNKS)) finish(socket, reading);
}

const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
const started = performance.now();
let waiting = sockets.length;
for (const socket of sockets) {
  const reading: Reading = { startedAt: 0, head: Buffer.alloc(0), status: 0, left: undefined, tail: Buffer.alloc(0) };
  socket.on('data', (bytes) => consume(socket, reading, bytes));
  begin(socket, reading);
}
setTimeout(() => {
  console.error(`${waiting} requests were not answered`);
  process.exit(1);
}, milliseconds + DRAIN_MS);
