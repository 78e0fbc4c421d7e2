/** A streaming chat over a bare socket, so that a test decides when to read, to leave, and how. */
import { connect, type Socket } from 'node:net';

export interface RawStream {
  socket: Socket;
  /** Bytes of the body that have come; chunk sizes removed. */
  body(): Buffer;
  /** From now on what comes is counted and not kept. */
  stopRecording(): void;
  /** Resolves when the connection is closed, by whomever. */
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

/** @param onData is told how many bytes have come, head included */
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

/** What follows the head, with the chunks of the transfer coding joined; a chunk that broke off counts as far as it came. */
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
