/** Streaming chat over a raw socket, so that a test decides when to read and how to disconnect. */
import { connect, type Socket } from 'node:net';

export interface RawStream {
  socket: Socket;
  /** Received bytes of the body, without chunk sizes. */
  body(): Buffer;
  /** From now on received bytes are counted and not kept. */
  stopRecording(): void;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
}

export function buildChatBody(model: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Say something.' }],
    ...more,
  });
}

/** @param onData called with the number of received bytes, head included */
export function openRawChat(
  url: string,
  key: string,
  body: string,
  onData: (bytes: number, socket: Socket) => void = () => {},
): RawStream {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const pieces: Buffer[] = [];
  let keeps = true;
  let bytes = 0;
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => {
    if (keeps) pieces.push(piece);
    bytes += piece.length;
    onData(bytes, socket);
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  const head = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nconnection: close`;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return {
    socket,
    closed,
    body: () => decodeBody(Buffer.concat(pieces)),
    stopRecording() {
      keeps = false;
    },
  };
}

/** Returns the body with its chunks joined; of an incomplete chunk, the received part. */
function decodeBody(bytes: Buffer): Buffer {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return Buffer.alloc(0);
  const rest = bytes.subarray(headEnd + 4);
  if (!/transfer-encoding: chunked/i.test(bytes.subarray(0, headEnd).toString())) return rest;
  const chunks: Buffer[] = [];
  for (let at = 0; at < rest.length; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) break;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString(), 16);
    if (!(size > 0)) break;
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
