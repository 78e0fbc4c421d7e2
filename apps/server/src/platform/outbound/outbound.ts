/**
 * Outbound connections: each passes the guard, may use a proxy, and has deadlines. Only `fetch` follows redirects.
 */
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { parseJson } from '@switchyard/relay/json';
import { Agent, type buildConnector, Client, type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { createBoundedMap } from '../caches.ts';
import { systemClock } from '../clock.ts';
import { AppError } from '../http/app-error.ts';
import { type ConnectPolicy, createGuardedConnector, createGuardedLookup, tlsOptions } from './guarded-connector.ts';
import { createOutboundFetch, type OriginOverrides, type OutboundFetch, readAtMost } from './outbound-fetch.ts';
import { createOutboundGuard, type OutboundGuard } from './outbound-guard.ts';
import { type PeerCertificate, readPeerCertificate } from './peer-certificate.ts';
import { fillSession } from './proxy-session.ts';
import { createPublicResolver } from './public-resolver.ts';
import { guardResponses } from './response-framing-guard.ts';
import { createSystemResolver } from './system-resolver.ts';

/** HTTP client. */
export interface HttpClient {
  /** Creates a single keep-alive connection to an origin, for the relay's own pools. */
  connect(origin: string, timeoutMs: number): Client;
  /**
   * Returns the connections through a proxy to an origin, cached per proxy address. The proxy resolves the origin's
   * name itself.
   * @throws AddressNotAllowedError when the proxy, or the origin's own address, is not allowed
   */
  getProxyDispatcher(proxy: string, origin: string): Dispatcher;
  /**
   * Opens one exchange, whose response is streamed. The caller must read it to its end, or abort the signal.
   * @throws AddressNotAllowedError when the proxy, or the origin's own address, is not allowed; any other error without a
   * response
   */
  open(request: OpenRequest): Promise<StreamedResponse>;
  /**
   * `fetch` for small responses, read whole: at most 1 MB within 10 seconds, uncompressed. At most three redirects
   * are followed, each checked, and credentials are only sent to the original host. A body is text, bytes or a form.
   * @throws AddressNotAllowedError when an address on the way is not allowed
   */
  fetch: OutboundFetch;
}

export interface Outbound extends HttpClient {
  /** Requests to addresses that users chose. OUTBOUND_ALLOW permits nothing to them but a proxy. */
  public: HttpClient;
  /**
   * Requests a WebSocket upgrade over HTTP/1.1 on a separate connection; the handler gets the connection, or the
   * refusing response. @throws AddressNotAllowedError when the proxy, or the origin's own address, is not allowed
   */
  upgrade(request: UpgradeRequest, handler: Dispatcher.DispatchHandler): void;
  /** Opens a plain connection for other protocols than HTTP. @throws AddressNotAllowedError, or the connection's error */
  dial(host: string, port: number, signal: AbortSignal): Promise<Socket>;
  /**
   * Fetches the certificate of a host, also through an HTTP proxy.
   * @param proxy empty for none
   * @throws AddressNotAllowedError, or the connection's error
   */
  fetchCertificate(target: TlsHost, proxy: string, signal: AbortSignal): Promise<PeerCertificate>;
  /** @throws AddressNotAllowedError when the host, or every address that it resolves to, is not allowed */
  check(url: string): Promise<void>;
  /**
   * Makes one small exchange, read whole. `proxy` may be empty.
   * @throws Error when the response is too large; AppError `unavailable` without memory for it
   */
  fetchJson(request: JsonRequest): Promise<JsonResponse>;
  /** Counts the responses of `fetchJson` against a memory budget while they are read. */
  limitMemory(openHold: () => MemoryHold): void;
  close(): Promise<void>;
}

/** Memory that a response holds. */
export interface MemoryHold {
  /** @throws when there is no room */
  grow(bytes: number): void;
  release(): void;
}

export interface TlsHost {
  host: string;
  port: number;
}

export interface UpgradeRequest {
  url: string;
  /** Alternating names and values. */
  headers: string[];
  /** Empty for none. */
  proxy: string;
}

export interface OpenRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A stream is read once. */
  body?: string | Buffer | Readable | undefined;
  /** Empty for none. */
  proxy: string;
  signal: AbortSignal;
}

export interface StreamedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Buffer>;
}

export interface JsonRequest extends Omit<OpenRequest, 'signal'> {
  timeoutMs: number;
  /** Aborts before the timeout. */
  signal?: AbortSignal | undefined;
  /** Maximum bytes of the response, 256 KiB by default; `LARGE_ANSWER_BYTES` at most. */
  maxBytes?: number;
  /**
   * Called with the bytes of each part of the response, for a caller that counts them until it has used them; what it
   * throws ends the exchange. By default they are counted until the response has been read.
   */
  count?: (bytes: number) => void;
}

export interface JsonResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Undefined when the response is not JSON, or too complex to be parsed. The first access parses the text. */
  readonly json: unknown;
  text: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum idle time of a connection, whatever its server's `Keep-Alive` allows. */
const KEEP_ALIVE_MS = 30_000;
/** Milliseconds that the head of a response may take after its request. */
const ANSWER_TIMEOUT_MS = 300_000;
/** Each request has its own `headersTimeout`. */
const poolOptions = { headersTimeout: CONNECT_TIMEOUT_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS } as const;
const ANSWER_BYTES = 256 * 1024;
/** Maximum bytes of lists, and of responses that can contain artifacts. */
export const LARGE_ANSWER_BYTES = 8 * 1024 * 1024;
/** Bytes in memory for each byte of a response: its text, and its parsed form. */
export const HELD_PER_BYTE = 3;
/** Bounded, because a proxy has one address per session. */
const PROXIES_MAX = 500;
/** Proxy session of the gateway's own requests. */
const OWN_SESSION = 'gateway';
/** Shared by the process, because it occupies the threads for lookups. */
const systemResolver = createSystemResolver(systemClock);
const publicResolver = createPublicResolver(systemClock);

/** @param standIns test doubles of vendors for `fetch` */
export function createOutbound(allowed: readonly string[], standIns: OriginOverrides = {}): Outbound {
  const guard = createOutboundGuard(allowed);
  const policy: ConnectPolicy = { guard, resolve: systemResolver };
  const connector = createGuardedConnector(policy, CONNECT_TIMEOUT_MS);
  const upgrades = new Agent({ connect: connector, allowH2: false, headersTimeout: 0, bodyTimeout: 0 }).compose(
    guardResponses,
  );
  // Evicted dispatchers close when their requests end.
  const proxies = createBoundedMap<string, Dispatcher>(PROXIES_MAX, {
    dispose: (dispatcher) => void dispatcher.close().catch(() => {}),
  });

  const proxyAt = (address: string, proxyTunnel = false): Dispatcher => {
    const proxy = fillSession(address, OWN_SESSION);
    const name = `${proxy} ${proxyTunnel}`;
    const known = proxies.get(name);
    if (known !== undefined) return known;
    const { hostname, protocol, href } = new URL(proxy);
    guard.checkHost(hostname);
    const agent = protocol.startsWith('socks')
      ? // undici knows no `socks5h:`, but always lets the proxy resolve the names, as that scheme asks for.
        new Socks5ProxyAgent(href.replace(/^socks5h:/, 'socks5:'), { connect: connector, requestTls: tlsOptions })
      : new ProxyAgent({
          ...poolOptions,
          uri: proxy,
          proxyTls: { ...tlsOptions, lookup: createGuardedLookup(policy, CONNECT_TIMEOUT_MS), allowH2: false },
          requestTls: { ...tlsOptions, allowH2: false },
          proxyTunnel,
          // What waits for a tunnel cannot be aborted.
          clientFactory: (origin, options) => new Pool(origin, { ...options, ...poolOptions }),
        });
    const guarded = agent.compose(guardResponses);
    proxies.set(name, guarded);
    return guarded;
  };

  const own = createHttpClient(policy, proxyAt);
  // In tests, test doubles are allowed as well.
  const publicGuard = createOutboundGuard(
    Object.values(standIns).map((origin) => new URL(origin).hostname),
    false,
  );
  const toPublic = createHttpClient({ guard: publicGuard, resolve: publicResolver }, proxyAt);
  const dial = createDial(policy);

  return {
    ...own.ways,
    ...createJsonExchange(own.ways.open),
    fetch: createOutboundFetch(own.agent, guard, standIns),
    public: { ...toPublic.ways, fetch: createOutboundFetch(toPublic.agent, createOutboundGuard([], false), standIns) },
    upgrade({ url, headers, proxy }, handler) {
      const { origin, pathname, search, hostname } = new URL(url);
      guard.checkHost(hostname);
      // A forwarding proxy would drop the upgrade's headers.
      const dispatcher = proxy === '' ? upgrades : proxyAt(proxy, true);
      const options = { origin, path: pathname + search, method: 'GET', headers, upgrade: 'websocket' } as const;
      dispatcher.dispatch({ ...options, headersTimeout: ANSWER_TIMEOUT_MS }, handler);
    },
    dial,
    fetchCertificate: createCertificateReader(guard, dial, connector),
    async check(url) {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      guard.checkHost(host);
      if (isIP(host) !== 0) return;
      // A name that does not resolve now may do so later; the connection itself is checked again.
      const addresses = await systemResolver(host, CONNECT_TIMEOUT_MS).catch(() => []);
      if (addresses.length > 0 && !addresses.some(({ address }) => guard.allows(host, address)))
        throw guard.refuse(
          host,
          addresses.map(({ address }) => address),
        );
    },
    async close() {
      const agents = [own.agent, toPublic.agent, upgrades, ...proxies.values()];
      await Promise.all(agents.map((agent) => agent.close()));
    },
  };
}

/** Creates the exchanges of JSON, which are not counted until `limitMemory` is called. */
function createJsonExchange(open: HttpClient['open']): Pick<Outbound, 'fetchJson' | 'limitMemory'> {
  let openMemory = (): MemoryHold => ({ grow: () => {}, release: () => {} });
  return {
    async fetchJson({ timeoutMs, signal, maxBytes = ANSWER_BYTES, count, ...request }) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const ends = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      const { status, headers, body } = await open({ ...request, signal: ends });
      const memory = openMemory();
      const countHere = (bytes: number): void => reserveMemory(memory, HELD_PER_BYTE * bytes);
      const text = await readAtMost(body, maxBytes, count ?? countHere)
        .then((bytes) => bytes.toString('utf8'))
        .finally(() => memory.release());
      let parsed: { json: unknown } | undefined;
      return {
        status,
        headers,
        get json() {
          parsed ??= { json: parseJson(text) };
          return parsed.json;
        },
        text,
      };
    },
    limitMemory(openHold) {
      openMemory = openHold;
    },
  };
}

/** @throws AppError when there is no room */
function reserveMemory(memory: MemoryHold, bytes: number): void {
  try {
    memory.grow(bytes);
  } catch (cause) {
    const message = 'The running requests need all memory, which leaves none for this response. Try again in a moment.';
    throw new AppError('unavailable', message, { cause });
  }
}

/** @param proxyAt returns proxies, which have a guard of their own because the operator chose them */
function createHttpClient(
  policy: ConnectPolicy,
  proxyAt: (address: string) => Dispatcher,
): { ways: Omit<HttpClient, 'fetch'>; agent: Dispatcher } {
  const connector = createGuardedConnector(policy, CONNECT_TIMEOUT_MS);
  const agent = new Agent({ ...poolOptions, connect: connector }).compose(guardResponses);
  const through: HttpClient['getProxyDispatcher'] = (proxy, origin) => {
    policy.guard.checkHost(new URL(origin).hostname);
    return proxyAt(proxy);
  };
  const ways: Omit<HttpClient, 'fetch'> = {
    connect: (origin, timeoutMs) =>
      new Client(origin, {
        connect: timeoutMs === CONNECT_TIMEOUT_MS ? connector : createGuardedConnector(policy, timeoutMs),
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
    getProxyDispatcher: through,
    async open({ method, url, headers, body, proxy, signal }) {
      const { origin, pathname, search } = new URL(url);
      const dispatcher = proxy === '' ? agent : through(proxy, origin);
      const answer = await dispatcher.request({
        origin,
        path: pathname + search,
        method,
        headers: { ...headers },
        body: body ?? null,
        signal,
        headersTimeout: ANSWER_TIMEOUT_MS,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
  };
  return { ways, agent };
}

function createDial(policy: ConnectPolicy): Outbound['dial'] {
  const lookup = createGuardedLookup(policy, CONNECT_TIMEOUT_MS);
  return async (host, port, signal) => {
    policy.guard.checkHost(host);
    signal.throwIfAborted();
    return waitForConnect(connectSocket({ host, port, lookup }), signal);
  };
}

function createCertificateReader(
  guard: OutboundGuard,
  dial: Outbound['dial'],
  connector: buildConnector.connector,
): Outbound['fetchCertificate'] {
  return async ({ host, port }, proxy, signal) => {
    if (proxy === '') return readPeerCertificate(await dial(host, port, signal), host, signal);
    const { origin, hostname, username, password } = new URL(fillSession(proxy, OWN_SESSION));
    for (const name of [host, hostname]) guard.checkHost(name);
    const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const client = new Client(origin, { connect: connector });
    try {
      const { socket, statusCode } = await client.connect({
        path: `${host}:${port}`,
        headers: username === '' ? {} : { 'proxy-authorization': `Basic ${user.toString('base64')}` },
        signal,
      });
      if (statusCode !== 200) throw new Error(`The proxy returned status ${statusCode}`);
      return await readPeerCertificate(socket, host, signal);
    } finally {
      await client.destroy();
    }
  };
}

function waitForConnect(socket: Socket, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(new Error('The connection attempt was aborted', { cause: signal.reason }));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', giveUp));
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
