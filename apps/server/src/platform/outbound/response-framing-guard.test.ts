import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { startSocks5Proxy } from '../../../../../tests/scripted-upstream/socks5.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { createOutbound, type Outbound } from './outbound.ts';
import { guardResponse } from './response-framing-guard.ts';
import { createClientWebSocket } from './web-socket.ts';

const MEGABYTE = 1_048_576;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
const EXTENSION = `1;e=${'a'.repeat(65_000)}\r\nx\r\n`;
const WHOLE = `${HEAD}5\r\n[1,2]\r\n0\r\n\r\n`;

interface Flood {
  /** Sent once. */
  begin: string;
  /** Sent again and again. */
  piece: string;
}

const floods: Record<string, Flood> = {
  'small interim responses': { begin: '', piece: EARLY_HINTS.repeat(1_000) },
  'large interim responses': { begin: '', piece: EARLY_HINTS.replace('<', `<${'a'.repeat(10_000)}`) },
  'one chunk extension': { begin: `${HEAD}5;`, piece: 'a'.repeat(65_536) },
  'chunks of one byte with large extensions': { begin: HEAD, piece: EXTENSION },
  'chunks with large extensions after much content': {
    begin: `${HEAD}10000\r\n${'x'.repeat(65_536)}\r\n`,
    piece: EXTENSION,
  },
  'chunks of one byte': { begin: HEAD, piece: '1\r\nx\r\n'.repeat(10_000) },
  'chunks of five bytes': { begin: HEAD, piece: '5\r\nfive \r\n'.repeat(10_000) },
  'chunks of fifteen bytes': { begin: HEAD, piece: 'f\r\nfifteen bytes..\r\n'.repeat(10_000) },
  'one header': { begin: 'HTTP/1.1 200 OK\r\nx: ', piece: 'a'.repeat(65_536) },
  'one trailer': { begin: `${HEAD}0\r\nx: `, piece: 'a'.repeat(65_536) },
};

let vendor: Server;
const sockets = new Set<Socket>();
let url: string;
let outbound: Outbound;
/** Bytes that the vendor has sent when the connection of its flood is closed. */
let sent: Promise<number>;

beforeAll(async () => {
  vendor = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (request) => answer(socket, decodeURIComponent(/\/(\S*)/.exec(request.toString())?.[1] ?? '')));
  });
  url = `http://127.0.0.1:${await listen(vendor)}/`;
  outbound = createOutbound(['127.0.0.1']);
});
afterAll(async () => {
  await outbound.close();
  // A SOCKS proxy keeps its connection to the vendor.
  for (const socket of sockets) socket.destroy();
  vendor.close();
});

function answer(socket: Socket, path: string): void {
  const flood = floods[path.split('/').at(-1) ?? ''];
  if (flood === undefined) return void socket.write(WHOLE);
  sent = new Promise((resolve) => {
    socket.once('close', () => resolve(socket.bytesWritten - socket.writableLength));
  });
  socket.write(flood.begin);
  const write = (): void => {
    while (!socket.destroyed) if (!socket.write(flood.piece)) return void socket.once('drain', write);
  };
  write();
}

const read = async (path: string, proxy = ''): Promise<string> => {
  const request = { method: 'GET', headers: {}, proxy, timeoutMs: 60_000 } as const;
  return (await outbound.fetchJson({ ...request, url: url + encodeURIComponent(path) })).text;
};

describe('the connection to a server that sends', () => {
  it.each(Object.keys(floods))('%s is closed after a few megabytes', async (name) => {
    await expect(read(name)).rejects.toThrow();
    // The network's own buffers hold some more.
    expect(await sent).toBeLessThan(32 * MEGABYTE);
    expect(await read('whole')).toBe('[1,2]');
  });

  it.each(['one chunk extension', 'small interim responses'])('%s is closed through a proxy too', async (name) => {
    const proxy = await startSocks5Proxy('relay', 'secret');
    await expect(read(name, proxy.url)).rejects.toThrow(/^The response /);
    expect(await read('whole', proxy.url)).toBe('[1,2]');
    proxy.close();
  });
});

describe('the connection to a server that sends TLS records of one byte', () => {
  const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n';
  /** Beginning of a WebSocket message of four megabytes. */
  const FRAME = Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 0x40, 0, 0]);
  let written: number;

  /** @param begin bytes in one record, before the others */
  async function startServer(begin: string | Buffer): Promise<string> {
    const certificate = createSelfSignedCertificate('127.0.0.1');
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate.cert]);
    written = 0;
    const server = createTlsServer(certificate, (socket) => {
      socket.on('error', () => {});
      // Writes that wait for the one before share no record.
      const write = (): void => {
        if (socket.destroyed || written > 60_000) return;
        socket.write('x', write);
        written += 1;
      };
      socket.once('data', () => socket.write(begin, write));
    });
    const port = await listen(server);
    onTestFinished(() => {
      setDefaultCACertificates(trusted);
      server.close();
    });
    return `https://127.0.0.1:${port}/`;
  }

  const CONTENT = 'x'.repeat(500_000);

  it.each([
    ['at its beginning', ''],
    ['after much content', CONTENT],
  ])('is closed: %s', async (_when, content) => {
    const request = { method: 'GET', headers: {}, proxy: '', timeoutMs: 20_000, maxBytes: 4_000_000 } as const;
    const failure = outbound.fetchJson({ ...request, url: await startServer(`${HEAD}400000\r\n${content}`) });
    await expect(failure).rejects.toThrow('TLS messages without content');
    expect(written).toBeGreaterThan(7_000);
  });

  it.each([
    ['at its beginning', ''],
    ['after much content', CONTENT],
  ])(
    'is closed when it was upgraded: %s',
    async (_when, content) => {
      const url = await startServer(Buffer.concat([Buffer.from(SWITCH), FRAME, Buffer.from(content)]));
      const closed = new Promise<Error>((resolve) => {
        const onRequestUpgrade: Dispatcher.DispatchHandler['onRequestUpgrade'] = (
          _controller,
          _status,
          _headers,
          socket,
        ) => {
          socket.on('error', resolve);
          process.nextTick(() =>
            createClientWebSocket(socket)
              .on('error', () => {})
              .resume(),
          );
        };
        outbound.upgrade({ url, headers: [], proxy: '' }, { onRequestUpgrade });
      });
      expect((await closed).message).toContain('TLS messages without content');
      expect(written).toBeGreaterThan(5_000);
    },
    20_000,
  );
});

describe('guardResponse', () => {
  /** Calls that the handler of a guarded request received. */
  const receive = (text: string): Promise<{ statuses: number[]; content: string; kept: number }> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(text));
      });
      void listen(server).then((port) => {
        const client = outbound.connect(`http://127.0.0.1:${port}`, 10_000);
        const statuses: number[] = [];
        const chunks: Buffer[] = [];
        const end = (): void => {
          server.close();
          void client.destroy();
        };
        const handler = guardResponse({
          onRequestStart: () => {},
          onResponseStart: (_controller, status) => void statuses.push(status),
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => {
            end();
            const packets = new Set(chunks.map(({ buffer }) => buffer));
            const kept = [...packets].reduce((sum, { byteLength }) => sum + byteLength, 0);
            resolve({ statuses, content: Buffer.concat(chunks).toString(), kept });
          },
          onResponseError: (_controller, error) => {
            end();
            reject(error);
          },
        });
        client.dispatch({ path: '/', method: 'GET' }, handler);
      }, reject);
    });

  it('forwards only the final response after a few interim ones', async () => {
    expect(await receive(`${EARLY_HINTS.repeat(20)}${WHOLE}`)).toMatchObject({ statuses: [200], content: '[1,2]' });
  });

  it('fails with the reason after too many interim responses', async () => {
    await expect(receive(`${EARLY_HINTS.repeat(21)}${WHOLE}`)).rejects.toThrow(
      'The response came after more than 20 interim responses',
    );
  });

  it.each([
    [10_000, 1],
    [50_000, 17],
  ])('reads a response in %i chunks of %i bytes', async (count, bytes) => {
    const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    const { content } = await receive(`${HEAD}${chunk.repeat(count)}0\r\n\r\n`);
    expect(content).toHaveLength(count * bytes);
  });

  it('keeps nothing of the packets that small pieces of content came in', async () => {
    const { content, kept } = await receive(`${HEAD}${EXTENSION.repeat(15)}0\r\n\r\n`);
    expect(content).toHaveLength(15);
    expect(kept).toBeLessThanOrEqual(2 * Buffer.poolSize);
  });

  it('leaves an upgraded connection to its new owner', async () => {
    const accept = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(accept);
        for (let nth = 0; nth < 64; nth += 1) socket.write(Buffer.alloc(65_536, 'x'));
        socket.end();
      });
    });
    const port = await listen(server);
    const bytes = await new Promise<number>((resolve, reject) => {
      outbound.upgrade(
        { url: `http://127.0.0.1:${port}/`, headers: [], proxy: '' },
        {
          onRequestUpgrade: (_controller, _status, _headers, socket) => {
            let count = 0;
            process.nextTick(() => socket.on('data', (chunk: Buffer) => (count += chunk.length)));
            socket.on('end', () => resolve(count));
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
    server.close();
    expect(bytes).toBe(64 * 65_536);
  });
});
